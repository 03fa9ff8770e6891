"""``python -m plateau_tui``."""

from plateau_tui.cli.main import main

main()

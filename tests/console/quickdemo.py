"""``plateau-tui`` with a demonstration at a pace that nobody could follow, run as a script."""

from plateau_tui.cli.main import main
from plateau_tui.console import demo, firstpoll

demo._PACE_S = 0.1  # type: ignore[misc]
demo._WATCHED_S = 2.0  # type: ignore[misc]
firstpoll.WATCH_EVERY_S = 0.2  # type: ignore[misc]
main()

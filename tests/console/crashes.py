"""A console with a bug, run as a script: it crashes with a secret among its locals."""

import sys
from pathlib import Path

from plateau_tui.console.app import run_console
from plateau_tui.console.screens.unit import UnitScreen
from plateau_tui.runlog.layout import RunFolder


def crash(screen: UnitScreen) -> None:
    password = "canary-7d-secret"
    raise RuntimeError(f"a bug with {password}")


UnitScreen.on_mount = crash  # type: ignore[assignment]
folder = RunFolder(Path(sys.argv[1]))
sys.exit(run_console(folder.path.parent, folder, {}))

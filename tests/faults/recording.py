"""``plateau-tui``, with every command that a server embedded in it receives written to a file.

Run as a script: the file's path, then the words of the command line.
"""

import sys
from pathlib import Path

from plateau_tui.cli.main import main
from plateau_tui.sim.record import CommandLog

RECORD = Path(sys.argv.pop(1))
begin = CommandLog.begin


def recorded(self: CommandLog, connection: int, command: str) -> int:
    with RECORD.open("a", encoding="utf-8") as file:
        file.write(command + "\n")
    return begin(self, connection, command)


CommandLog.begin = recorded  # type: ignore[method-assign]
main()

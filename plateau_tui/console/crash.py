"""What a crash of the console leaves on the terminal: where, never with which values."""

import traceback
from typing import Final

from rich.text import Text

_FRAMES: Final = 12


def crash_text(error: BaseException) -> Text:
    """Return the last frames and the error, without locals and without source markup.

    A frame's locals may hold a password or a server's words; its file and line do not.
    """
    frames = traceback.extract_tb(error.__traceback__)[-_FRAMES:]
    lines = [f"  {frame.filename}:{frame.lineno} in {frame.name}" for frame in frames]
    return Text(
        "\n".join(
            [
                "plateau-tui: the console crashed; a collector that runs goes on. Please report:",
                *lines,
                f"  {type(error).__name__}",
            ]
        )
    )

"""The sealed text of a run, which stands whole in its journal."""

from typing import Final

from plateau_tui.collector.run import DeclinedError
from plateau_tui.metric.registration import seal_hash
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.state import read_state

PUT_BACK: Final = "put the sealed text back, which plateau-tui seal RUN --show prints"
"""What to do about a registration.toml that is not what was sealed."""


def sealed_text(folder: RunFolder) -> bytes:
    """Return the text that was sealed, as the journal holds it; reads only.

    Raises:
        DeclinedError: nothing is sealed, or the journal's text is not what its SHA-256 says.

    """
    sealed = read_state(folder.journal)[0].sealed
    if sealed is None:
        raise DeclinedError("nothing is sealed yet: plateau-tui seal RUN seals registration.toml")
    text = sealed.text.encode("utf-8")
    if seal_hash(text) != sealed.sha256:
        raise DeclinedError(
            "the sealed text in the journal is not what its SHA-256 says: touch nothing, and look "
            "with plateau-tui verify RUN"
        )
    return text

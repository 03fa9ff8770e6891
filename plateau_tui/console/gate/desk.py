"""What a registration's form works on: the file as it was read, and the draft as it stands."""

from pathlib import Path

from plateau_tui.console.gate.file import GateFile, read_gate
from plateau_tui.console.gate.form import Draft
from plateau_tui.metric.tables import ConfigError
from plateau_tui.runlog.layout import RunFolder

Stamp = tuple[tuple[int, int, int] | None, ...]


class GateDesk:
    """One run's registration.toml while it is looked at or edited; for the screen's thread."""

    def __init__(self, folder: RunFolder) -> None:
        self.folder = folder
        self.gate: GateFile | None = None
        """What was last read from disk."""
        self.draft: Draft | None = None
        """The draft as it stands here; None where there is none to be edited."""
        self.trouble = ""
        """Why there is no draft though nothing is sealed, or nothing."""
        self._stamp: Stamp = ()

    @property
    def changed(self) -> bool:
        """Whether the draft here is not what the file held when it was read."""
        draft, gate = self.draft, self.gate
        return draft is not None and gate is not None and draft.text.encode("utf-8") != gate.data

    @property
    def stale(self) -> bool:
        """Whether the file has changed on disk since it was read, or was sealed."""
        return bool(self._stamp) and self._stamp != self._stamp_now()

    def _stamp_now(self) -> Stamp:
        paths = [self.folder.registration]
        if self.gate is None or self.gate.sealed is None:
            paths.append(self.folder.journal)  # it may be sealed elsewhere
        return tuple(_stamp_of(path) for path in paths)

    def read(self) -> None:
        """Read the file and the seal anew; a draft that was here is gone."""
        stamp = self._stamp_now()
        try:
            self.gate = gate = read_gate(self.folder)
        except OSError as error:
            self.trouble = f"the journal cannot be read: {error.strerror}"
            return
        self.draft, self.trouble = None, ""
        self._stamp = stamp if gate.sealed is None else stamp[:1]
        if gate.sealed is None:
            self.trouble = gate.error
            if not gate.error:
                self._take_draft(gate)

    def _take_draft(self, gate: GateFile) -> None:
        try:
            self.draft = Draft.of(gate.data.decode("utf-8"))
        except UnicodeDecodeError:
            self.trouble = "registration.toml is not UTF-8 text: put it right in an editor"
        except ConfigError as error:
            self.trouble = f"{error}: put it right in an editor"


def _stamp_of(path: Path) -> tuple[int, int, int] | None:
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_ino, stat.st_size, stat.st_mtime_ns

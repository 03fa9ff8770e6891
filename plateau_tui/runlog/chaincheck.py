"""Following the chain of one log while it is checked."""

from dataclasses import dataclass, field
from pathlib import Path

from plateau_tui.metric.plain import counted
from plateau_tui.runlog.chain import ChainFormatError, link, split_line
from plateau_tui.runlog.findings import COPIED_TAIL, VerifyResult
from plateau_tui.runlog.lines import Line, Place
from plateau_tui.runlog.logend import copied_tail
from plateau_tui.runlog.scan import Unreadable


@dataclass
class ChainCheck:
    """Follows one log's chain; a break is told once and followed from what the line says.

    ``heads`` are those from which a new file of the log is known to have gone on.
    """

    path: Path
    head: str
    result: VerifyResult
    heads: dict[str, str] = field(default_factory=dict)
    follows: bool = True
    after_a_part: bool = False

    def step(self, item: Unreadable | tuple[Line, object]) -> Line:
        """Take in the next line and return it; one that is no record is told as such."""
        line = item.line if isinstance(item, Unreadable) else item[0]
        self.follows, self.after_a_part = not isinstance(item, Unreadable), False
        try:
            body, chain = split_line(line.data)
        except ChainFormatError as error:
            reason = item.reason if isinstance(item, Unreadable) else str(error)
            self.follows = False
            self.result.add("unreadable_line", self.path, line.place, reason)
            return line
        if link(self.head, body) != chain:
            self.follows = False
            self.result.add(*self._break(line, body, chain))
        self.head = chain
        if isinstance(item, Unreadable):
            self.result.add("unreadable_line", self.path, line.place, item.reason)
        return line

    def _break(self, line: Line, body: bytes, chain: str) -> tuple[str, Path, Place, str]:
        before = next((head for head in self.heads if link(head, body) == chain), None)
        if before is not None:
            self.after_a_part = True
            return "part_missing", self.path, line.place, self._missing_text(before)
        text = "this line, or what stood before it, is not what was written"
        return "chain_broken", self.path, line.place, text

    def _missing_text(self, before: str) -> str:
        """Return what is missing before a head, and what to do about it."""
        kept = self.heads[before]
        what = f"what stood before {before[:12]}… is not here"
        if kept and (self.path.parent / kept).exists():
            return f"{what}: {kept} holds what was left of it; put the whole file back beside it"
        named = f"{kept} held it" if kept else "it was moved, cut or deleted"
        return f"{what} ({named}): put it back beside this file, under any name"


class Copies:
    """Finds copies of earlier lines behind a log's end, which are no lines of it; told once."""

    def __init__(self, path: Path, result: VerifyResult) -> None:
        self._path = path
        self._result = result
        self._at = copied_tail(path)
        self._told = False

    def has(self, item: Unreadable | tuple[Line, object]) -> bool:
        """Say whether a line is such a copy."""
        line = item.line if isinstance(item, Unreadable) else item[0]
        if line.file or line.byte not in self._at:
            return False
        if not self._told:
            text = (
                f"{counted(len(self._at), 'line')} behind the log's end, copied from it; no line "
                "of the log was changed: the next collect, or close, sets the copies aside"
            )
            self._result.add(COPIED_TAIL, self._path, line.place, text)
            self._told = True
        return True

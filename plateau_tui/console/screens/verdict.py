"""The verdict with its work, the questions that it waits for, and the export."""

import time
from collections.abc import Callable
from functools import partial
from typing import ClassVar, Final

from textual import on, work
from textual.binding import Binding, BindingType
from textual.message import Message

from plateau_tui.config import operator_name
from plateau_tui.console import clock
from plateau_tui.console.copying import copy_facts, reading_facts
from plateau_tui.console.jobs import run_job
from plateau_tui.console.lines.text import age, harmless
from plateau_tui.console.live.exports import EXPORT_IS_OLD
from plateau_tui.console.live.view import RunView
from plateau_tui.console.messages import JobDone
from plateau_tui.console.screens import answering
from plateau_tui.console.screens.base import BACK, is_open, key_names
from plateau_tui.console.screens.dialogs import Confirm
from plateau_tui.console.screens.reading import ReadingScreen
from plateau_tui.console.verdict.apart import Apart
from plateau_tui.console.verdict.judging import Sitting, export, keep_answers, sit
from plateau_tui.console.verdict.lines import heading_lines, missing_lines, verdict_lines
from plateau_tui.console.verdict.underway import Judging, left_of
from plateau_tui.metric.attestation import Attestation
from plateau_tui.report.names import EXPORT
from plateau_tui.report.questions import open_questions
from plateau_tui.report.words import headline
from plateau_tui.runlog.layout import RunFolder

_TICK_S: Final = 1.0
_AT_AN_END: Final = frozenset({"closed", "adjudicated"})
_NO_VERDICT: Final = "There is no verdict of a closed window yet: the export can only say WITHHELD."
_JUDGE, _WRITE, _EXPORT = "verdict", "answers", "export"
_WORDS: Final = {_JUDGE: "judging", _WRITE: "writing the answers", _EXPORT: "exporting"}


class Sat(Message):
    """A job's end, and the verdict that it found, if any."""

    def __init__(self, done: JobDone, sitting: Sitting | None) -> None:
        self.done = done
        self.sitting = sitting
        super().__init__()


class VerdictScreen(ReadingScreen):
    """Judges a closed run; before the close it says what is missing."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "answer", "Answer", id="verdict.answer", tooltip="SR-4 and SR-2, as a form"),
        Binding("e", "export", "Export", id="verdict.export", tooltip="Write RUN/export"),
        Binding("r", "judge", "Judge", id="verdict.judge", tooltip="Judge it anew, as it stands"),
        Binding("y", "copy", "Copy", id="verdict.copy", tooltip="These lines: clipboard and file"),
        Binding("j,down", "scroll(1)", "Down", show=False, id="verdict.down"),
        Binding("k,up", "scroll(-1)", "Up", show=False, id="verdict.up"),
        BACK,
    ]

    def __init__(self, folder: RunFolder, view_of: Callable[[], RunView | None]) -> None:
        super().__init__()
        self._folder, self._view_of = folder, view_of
        self._sitting: Sitting | None = None
        self._draft: Attestation | None = None
        self._busy = self._told = ""
        self._since_s = 0.0
        self._judged_ms: int | None = None
        self._judging: Judging | None = None
        self._stage = ""

    def on_mount(self) -> None:
        """Judge at once what is closed."""
        self.set_interval(_TICK_S, self._tick)
        self._tick()

    def _tick(self) -> None:
        """Judge a run that has closed meanwhile; count on."""
        view = self._view_of()
        stage = "" if view is None else view.stage
        closed_now = stage in _AT_AN_END and self._stage not in _AT_AN_END
        self._stage = stage
        if closed_now:
            self._begin(_JUDGE, partial(sit, self._folder))
        self.show()

    # -- what is shown ----------------------------------------------------------------------

    def heading(self, width: int) -> list[str]:
        """Return the word."""
        name = self._folder.path.name
        if self._sitting is None:
            return [harmless(f"Verdict of {name}", width)]
        return heading_lines(self._sitting.judged, name, width)

    def happens(self) -> str:
        """Return what is under way, or what the last request came to."""
        if not self._busy:
            told = self._told
            if not told and self._judged_ms is not None:
                told = f"judged {age(clock.now_ms() - self._judged_ms, coarse=True)} ago"
            return "; ".join(filter(None, (told, self._old_export())))
        seconds = int(time.monotonic() - self._since_s)
        doing = f"{_WORDS[self._busy]} ... {seconds} s"
        return f"{self._told}; {doing}" if self._told else doing

    def _old_export(self) -> str:
        view = self._view_of()
        if view is None or not view.export_is_old:
            return ""
        return f"{EXPORT_IS_OLD}: {key_names(self)['verdict.export']} exports again"

    def lines(self, width: int) -> list[str]:
        """Return the verdict's work, or what it waits for."""
        if self._sitting is not None:
            return verdict_lines(self._sitting.judged, width)
        view = self._view_of()
        if view is None or view.stage in _AT_AN_END:
            return []
        return missing_lines(view, clock.now_ms(), width, key_names(self))

    def hear(self, text: str, job: str = "") -> None:
        """Show an answer to the operator."""
        del job
        self._told = harmless(text)
        self.show()

    # -- jobs -------------------------------------------------------------------------------

    def _begin(self, name: str, call: Callable[[], Sitting]) -> None:
        if self._busy:
            self.hear(f"not now: {_WORDS[self._busy]}")
            return
        left = left_of(self.app).take(self._folder.path, self._stage) if name == _JUDGE else None
        self._busy, self._told = name, ""
        self._since_s = time.monotonic() if left is None else left.since_s
        self.show()
        self._work(name, call, left)

    @work(thread=True, exit_on_error=False, group="verdict", description="verdict")
    def _work(self, name: str, call: Callable[[], Sitting], left: Judging | None) -> None:
        """Wait for a call in a process of its own, so that the screen stays alive."""
        found: list[Sitting] = []

        def apart() -> str:
            if name == _JUDGE:
                self._judging = left or Judging(call, self._stage)
                found.append(self._judging.result())
            else:
                found.append(Apart(call, lasting=True).result())
            return found[0].told

        done = run_job(name, apart, self._folder.path, key_names(self))
        if name != _JUDGE:
            self.app.post_message(done)  # the operator may have left this screen by then
        self.post_message(Sat(done, found[0] if found else None))

    def on_unmount(self) -> None:
        """Leave a judging to whoever comes back; what is written is written to its end."""
        if self._judging is not None and self._busy == _JUDGE:
            left_of(self.app).leave(self._folder.path, self._judging)

    @on(Sat)
    def _take(self, message: Sat) -> None:
        if not is_open(self):
            return
        done = message.done
        self._busy = ""
        self._told = harmless(done.text if done.ok else f"NO: {done.text}")
        if message.sitting is not None:
            self._sitting, self._judged_ms = message.sitting, clock.now_ms()
            if done.job == _JUDGE and self._judging is not None:
                self._judged_ms -= self._judging.ended_ago_ms
        if done.ok and done.job == _WRITE:
            self._draft = None
        self.show()

    def action_judge(self) -> None:
        """Judge the run anew."""
        self._begin(_JUDGE, partial(sit, self._folder))

    def action_answer(self) -> None:
        """Open the questions."""
        if not self.is_front:
            return
        sitting = self._sitting
        if self._busy or sitting is None or sitting.judged.state.closed is None:
            wait = f"not now: {_WORDS[self._busy]}" if self._busy else ""
            self.hear(wait or "SR-4 and SR-2 are asked once the window is closed")
            return
        given = self._draft or sitting.judged.case.attestation
        self.app.push_screen(
            answering.AnswerScreen(
                sitting.judged,
                given,
                asks_why=sitting.asks_why,
                leave=self._keep_draft,
                write=self._write,
            )
        )

    @work
    async def action_copy(self) -> None:
        """Copy what stands here to the clipboard and to a file."""
        if self.is_front:
            name = self._folder.path.name
            text = reading_facts(self, f"verdict of run {name}", clock.now_ms())
            await copy_facts(self.app, f"{name}-verdict", lambda: text)

    def _keep_draft(self, answers: Attestation) -> None:
        self._draft = answers

    def _write(self, text: bytes) -> None:
        """Write answers that were confirmed; the screens above are closed."""
        while self.app.screen is not self and is_open(self):
            self.app.pop_screen()
        self._begin(_WRITE, partial(keep_answers, self._folder, text, operator_name()))

    def _unfinished(self) -> str:
        """Return why the word is not final, or nothing where it is."""
        judged = None if self._sitting is None else self._sitting.judged
        if judged is None or judged.state.closed is None:
            return _NO_VERDICT
        if judged.verdict.final:
            return ""
        asked = " and ".join(open_questions(judged.verdict, judged.case.attestation))
        answer = f"{asked}: open. " if asked else ""
        return (
            f"{answer}The export says {headline(judged.verdict)}; once it is answered, "
            f"{key_names(self)['verdict.export']} exports again."
        )

    @work
    async def action_export(self) -> None:
        """Write the export, after asking where one is there already or the word is not final."""
        if not self.is_front:
            return
        if self._busy:
            self.hear(f"not now: {_WORDS[self._busy]}")
            return
        place = self._folder.path / EXPORT
        taken = place.exists() or place.is_symlink()
        asked = [self._unfinished()]
        if taken:
            asked.append(f"{harmless(str(place))} is there. An earlier export is replaced.")
        meaning = "\n\n".join(filter(None, asked))
        if meaning:
            question = "Replace the export?" if taken else "Export a verdict that is not final?"
            if not await self.app.push_screen_wait(Confirm(question, meaning)):
                stays = f"the export at {place} stays as it is" if taken else "nothing is exported"
                self.hear(stays)
                return
        self._begin(_EXPORT, partial(export, self._folder))


SCREENS: Final[dict[str, list[BindingType]]] = {
    "verdict": VerdictScreen.BINDINGS,
    **answering.SCREENS,
}

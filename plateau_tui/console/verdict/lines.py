"""The lines of the verdict's screens, from the report's own words. Pure functions."""

from collections.abc import Iterable, Iterator
from typing import Final

from plateau_tui.console.keys import PLAIN_KEYS, KeyNames
from plateau_tui.console.lines.text import countdown, fold_words, harmless, pad, pad_name
from plateau_tui.console.live.view import RunView
from plateau_tui.console.verdict.answers import Preview
from plateau_tui.metric.outcome import Disclosure, Verdict
from plateau_tui.metric.plain import counted, is_are, out_of
from plateau_tui.report import words
from plateau_tui.report.gather import Judged
from plateau_tui.report.questions import open_questions
from plateau_tui.report.record import registration_difference
from plateau_tui.runlog.times import format_ms

_LONGEST_NAME: Final = 16
_MAX_TEXT: Final = 4000


def bullets(texts: Iterable[str], width: int, indent: str = "") -> Iterator[str]:
    """Yield each text folded behind a dash."""
    room = max(8, width - len(indent) - 2)
    for text in texts:
        first, *rest = fold_words(text[:_MAX_TEXT], room)
        yield f"{indent}- {first}"
        yield from (f"{indent}  {line}" for line in rest)


def missing_lines(view: RunView, now_ms: int, width: int, keys: KeyNames = PLAIN_KEYS) -> list[str]:
    """Return what a verdict still waits for, before the window's end."""
    return [
        "There is no verdict before the window is closed. What is missing:",
        "",
        *bullets(_missing(view, now_ms, keys), width),
        "",
        *fold_words(
            "At the close SR-4 is asked of every run, and SR-2 of one that is neither a clean PASS "
            "nor a clean FAIL. Judged before, a run is WITHHELD.",
            width,
        ),
    ]


def _missing(view: RunView, now_ms: int, keys: KeyNames) -> Iterator[str]:
    wizard = keys["run.wizard"]
    if not view.seal:
        form = keys["run.gate"]
        yield f"the seal: this is a draft, and a draft can claim nothing ({form}, the form, seals)"
    if view.seal_broken:
        yield "registration.toml as it was sealed: it was changed"
    yield from (f"{fact}: this can end in WITHHELD alone" for fact in view.voided)
    if not view.registered:
        yield f"the objectives on the server and the start reading ({wizard}, the wizard)"
    if view.unpinned:
        named = ", ".join(view.unpinned[:6]) + (" ..." if len(view.unpinned) > 6 else "")  # noqa: PLR2004 - a line's worth
        yield f"BASELINE_WOOD of {named}: SECONDARY is undefined without ({keys['run.pin']})"
    if view.slot0_ms is None:
        yield f"the window: no cycle was read yet ({keys['run.collect']} starts a collector)"
        return
    read = 0 if view.cycle is None else view.cycle + 1
    if view.is_over(now_ms):
        there = f"{out_of(read, view.cycles, 'cycle')} {is_are(view.cycles)} there"
        yield f"the close: {there} ({keys['run.close']} closes it)"
        return
    end = view.slot0_ms + view.cycles * view.interval_ms
    when = format_ms(end)[:16].replace("T", " ")
    yield (
        f"{counted(view.cycles - read, 'cycle')} of {view.cycles}: the window ends {when} UTC, "
        f"in {countdown(end - now_ms)}"
    )


def heading_lines(judged: Judged, name: str, width: int) -> list[str]:
    """Return the word as it may be shown, and what is open."""
    text = f"{words.headline(judged.verdict)}: {harmless(name, 40)}"
    asked = open_questions(judged.verdict, judged.case.attestation)
    if asked:
        text += f" - open: {' and '.join(asked)}"
    return [*fold_words(text, width), *fold_words(words.FROM_0, width)]


def verdict_lines(judged: Judged, width: int) -> list[str]:
    """Return the verdict with its work, as ``plateau-tui verdict`` prints it."""
    verdict = judged.verdict
    return [
        *bullets((*_reasons(verdict), *words.held_lines(verdict)), width),
        *_seal(judged, width),
        "",
        *_pairs(judged, width),
        "",
        *_counts(judged, width),
        "",
        *bullets(words.contrast_lines(verdict, judged.registration.gate.margin), width),
        "",
        *_disclosures(judged, width),
        "",
        *bullets(_answers(judged), width),
        *_missing_objectives(verdict, width),
    ]


def _reasons(verdict: Verdict) -> Iterator[str]:
    for line, below in words.fold_missing(verdict.reasons):
        yield f"{line} Each is named at the end of this page." if below else line


def _missing_objectives(verdict: Verdict, width: int) -> Iterator[str]:
    """Yield in full what one of the reasons stands for."""
    for line, below in words.fold_missing(verdict.reasons):
        if below:
            yield ""
            yield from fold_words(line, width)
            yield from bullets(below, width, "  ")


def _seal(judged: Judged, width: int) -> Iterator[str]:
    if judged.state.sealed is None or judged.seal_differs:
        yield from bullets((words.sealed_when(judged),), width)
        yield from (harmless(f"  | {line}", width) for line in registration_difference(judged))


def _pairs(judged: Judged, width: int) -> Iterator[str]:
    rows = [*words.pair_rows(judged.verdict.pairs)]
    longest = min(_LONGEST_NAME, max((len(row[1]) for row in rows), default=4))
    cells = max(4, min(longest, width - 46))
    for number, name, _, live, *rest in (("", *words.PAIR_HEAD[1:]), *rows):
        primary, secondary, both, wood = rest
        start = f"{number:>2} {pad_name(name, cells)} {live.partition(' ')[0]:5}"
        yield harmless(f"{start} {primary:11} {secondary:11} {both:11} {wood}", width)


def _counts(judged: Judged, width: int) -> Iterator[str]:
    room = max(8, width - 46)
    for arm, *cells in (words.COUNT_HEAD, *words.count_rows(judged)):
        line = pad(arm, min(30, room)) + "".join(f" {cell:>10}" for cell in cells)
        yield harmless(line, width)


def _disclosures(judged: Judged, width: int) -> Iterator[str]:
    found = judged.verdict.disclosures
    yield "Disclosures:" if found else "Disclosures: none"
    for line, below in words.disclosure_groups(found):
        yield from bullets((line,), width)
        yield from bullets(below, width, "  ")


def _answers(judged: Judged) -> Iterator[str]:
    yield from words.attribution(judged)
    yield from words.classification(judged)
    yield from (f"In the journal: {line}" for line in words.earlier_adjudications(judged))
    yield from (f"OPEN, a later gate (SR-3): {gate}" for gate in judged.verdict.later_gates_open)


def preview_heading(found: Preview, before: Judged, width: int) -> list[str]:
    """Return the word under the answers, beside the one without them."""
    now, then = words.headline(found.judged.verdict), words.headline(before.verdict)
    text = f"PREVIEW, nothing is written. With these answers: {now}; now: {then}"
    return [*fold_words(text, width), *fold_words(words.FROM_0, width)]


def preview_lines(found: Preview, width: int) -> list[str]:
    """Return what the answers lead to: what stays open, the word's reasons, what is disclosed."""
    judged = found.judged
    asked = open_questions(judged.verdict, judged.case.attestation)
    still = f"{' and '.join(asked)} would stay open." if asked else "No question would stay open."
    return [
        *fold_words(still, width),
        "",
        *bullets((*_reasons(judged.verdict), *words.held_lines(judged.verdict)), width),
        "",
        *bullets((*words.attribution(judged), *words.classification(judged)), width),
        "",
        *_changed("It would disclose as well:", found.more, width),
        *_changed("It would no longer disclose:", found.less, width),
        "What would be written, attestation.toml:",
        *(harmless(f"  {line}", width) for line in _file_lines(found, width - 2)),
        *_missing_objectives(judged.verdict, width),
    ]


def _changed(title: str, found: Iterable[Disclosure], width: int) -> Iterator[str]:
    lines = [line for first, below in words.disclosure_groups([*found]) for line in (first, *below)]
    if lines:
        yield title
        yield from bullets(lines, width)
        yield ""


def _file_lines(found: Preview, width: int) -> Iterator[str]:
    for line in found.text.decode("utf-8").splitlines():
        yield from fold_words(line, width)

"""The counts themselves, compared in pairs: exploratory, and never part of the verdict."""

from collections.abc import Callable, Iterator

from plateau_tui.metric.counts import CountAnalysis, Interval, TTest, analyse_counts
from plateau_tui.metric.gatescore import valid_pin
from plateau_tui.report.gather import Judged

_Pairs = list[tuple[int | None, int | None]]


def exploratory(judged: Judged) -> Iterator[str]:
    """Yield what the paired counts show, as sentences."""
    yield (
        "Nothing here argues for or against the gate: it was not registered, and an unknown "
        "count leaves its pair out."
    )
    for what, count in (
        ("Blocks placed in all", lambda unit: _placed(judged, unit)),
        ("Kinds of block mined beyond the farmed wood", lambda unit: _beyond(judged, unit)),
    ):
        yield from _analysed(what, _pairs(judged, count), judged.registration.gate.confidence)


def _pairs(judged: Judged, count: Callable[[str], int | None]) -> _Pairs:
    return [(count(t.name), count(c.name)) for t, c in judged.registration.pairs]


def _placed(judged: Judged, unit: str) -> int | None:
    return judged.finals.placed_total(unit, _start(judged, unit, "placed"))


def _beyond(judged: Judged, unit: str) -> int | None:
    pinned = judged.state.pins.get(unit)
    return judged.finals.distinct_beyond(unit, _start(judged, unit, "mined"), valid_pin(pinned))


def _start(judged: Judged, unit: str, kind: str) -> dict[str, int | None]:
    """Return what the gate subtracts: the start reading under ``offset``, else nothing."""
    if judged.registration.gate.start_counts == "zero":
        return {}
    start = judged.state.start_of(unit)
    return dict(start.placed if kind == "placed" else start.mined)


def _analysed(what: str, pairs: _Pairs, confidence: float) -> Iterator[str]:
    shown = ", ".join(f"{_told(t)} - {_told(c)}" for t, c in pairs)
    yield f"{what}, by pair (treatment - control): {shown}."
    known = [(t, c) for t, c in pairs if t is not None and c is not None]
    found = analyse_counts([t for t, _ in known], [c for _, c in known], confidence=confidence)
    yield f"{what}: {'; '.join((*_figures(found), *found.words))}."


def _told(count: int | None) -> str:
    return "unknown" if count is None else str(count)


def _figures(found: CountAnalysis) -> Iterator[str]:
    if found.mean_difference is not None:
        of = "1 pair" if found.pairs == 1 else f"{found.pairs} pairs"
        yield f"mean difference {_number(found.mean_difference)} over {of}"
    if found.paired_t is not None:
        yield f"{found.confidence:g} interval by paired t {_interval(found.paired_t.interval)}"
    for name, limits in (
        ("exact bootstrap, percentile", found.bootstrap_percentile),
        ("exact bootstrap, BCa", found.bootstrap_bca),
    ):
        if limits is not None:
            yield f"{name} {_interval(limits)}"
    if found.sign_flip_p is not None:
        yield f"exact sign-flip test, two-sided, p = {_number(found.sign_flip_p)}"
    if found.welch is not None:
        yield f"not paired, by Welch: {_unpaired(found.welch)}"


def _unpaired(test: TTest) -> str:
    return f"{_interval(test.interval)}, {_number(test.df)} degrees of freedom"


def _interval(limits: Interval) -> str:
    return f"{_number(limits[0])} to {_number(limits[1])}"


def _number(value: float) -> str:
    text = f"{value:.3f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text

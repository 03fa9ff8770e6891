"""Ways to tamper with a finished run of four cycles, and what ``verify`` says of each."""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from metric.texts import VALID
from runlog.runs import Json, edited, lines_of, relink

from plateau_tui.runlog.chain import JOURNAL_GENESIS
from plateau_tui.runlog.layout import RunFolder

ROWS_GENESIS = sha256(VALID.encode()).hexdigest()
Lines = list[bytes]
Change = Callable[[Lines], Lines]
Tamper = Callable[[RunFolder], None]


def on_rows(
    change: Callable[[Lines], Lines], *, chained: bool = False
) -> Callable[[RunFolder], None]:
    def tamper(folder: RunFolder) -> None:
        lines = change(lines_of(folder.rows))
        folder.rows.write_bytes(relink(lines, ROWS_GENESIS) if chained else b"".join(lines))

    return tamper


def on_journal(change: Change, *, chained: bool = False) -> Tamper:
    def tamper(folder: RunFolder) -> None:
        lines = change(lines_of(folder.journal))
        folder.journal.write_bytes(relink(lines, JOURNAL_GENESIS) if chained else b"".join(lines))

    return tamper


def setting(number: int, **values: object) -> Change:
    """Change fields of line ``number``."""

    def change(lines: Lines) -> Lines:
        def put(value: Json) -> None:
            value.update(values)

        lines[number - 1] = edited(lines[number - 1], put)
        return lines

    return change


def without(first: int, last: int) -> Change:
    return lambda lines: lines[: first - 1] + lines[last:]


def swapped(one: int, other: int) -> Change:
    def change(lines: Lines) -> Lines:
        lines[one - 1], lines[other - 1] = lines[other - 1], lines[one - 1]
        return lines

    return change


def doubled(first: int, last: int) -> Change:
    return lambda lines: lines[:last] + lines[first - 1 :]


def more(data: bytes) -> Change:
    return lambda lines: [*lines, data]


def _put(path: Path, text: str) -> None:
    path.write_text(text)


@dataclass(frozen=True)
class Case:
    tamper: Tamper
    expected: set[tuple[str, str, int | None]]
    exactly: bool = True


ROWS, JOURNAL = "rows.jsonl", "journal.jsonl"
CASES = {
    "a row is edited": Case(
        on_rows(setting(8, note="x")), {("chain_broken", ROWS, 8)}
    ),
    "a counter is edited": Case(
        on_rows(setting(8, placed_used_total=9)),
        {("chain_broken", ROWS, 8), ("derived_differs", ROWS, 8)},
    ),
    "a row is deleted": Case(
        on_rows(without(8, 8)),
        {("chain_broken", ROWS, 8), ("row_missing", ROWS, 8), ("cross_check", JOURNAL, 12)},
    ),
    "the first row is deleted": Case(
        on_rows(without(1, 1)),
        {("chain_broken", ROWS, 1), ("row_missing", ROWS, 1), ("cross_check", JOURNAL, 11)},
    ),
    "the last row of a cycle is deleted": Case(
        on_rows(without(12, 12)),
        {("chain_broken", ROWS, 12), ("cycle_incomplete", ROWS, 12), ("cross_check", JOURNAL, 13)},
        exactly=False,
    ),
    "a cycle is skipped": Case(
        on_rows(without(7, 12)),
        {("chain_broken", ROWS, 7), ("cycle_skipped", ROWS, 7)},
        exactly=False,
    ),
    "a cycle is skipped, the chain re-computed": Case(
        on_rows(without(7, 12), chained=True),
        {("cycle_skipped", ROWS, 7), ("cross_check", JOURNAL, 12)},
        exactly=False,
    ),
    "the end of the file is cut off": Case(
        on_rows(without(19, 24)), {("rows_cut", JOURNAL, 14)}
    ),
    "the end is cut off within a cycle": Case(
        on_rows(without(21, 24)),
        {("rows_cut", JOURNAL, 14), ("cycle_incomplete", ROWS, None)},
    ),
    "all rows are gone": Case(lambda run: run.rows.unlink(), {("rows_cut", JOURNAL, 14)}),
    "rows change places": Case(
        on_rows(swapped(8, 9)),
        {("chain_broken", ROWS, 8), ("chain_broken", ROWS, 9), ("chain_broken", ROWS, 10),
         ("row_missing", ROWS, 8), ("row_order", ROWS, 9)},
    ),
    "rows change places, the chain re-computed": Case(
        on_rows(swapped(8, 9), chained=True),
        {("row_missing", ROWS, 8), ("row_order", ROWS, 9), ("cross_check", JOURNAL, 12)},
        exactly=False,
    ),
    "a row is doubled": Case(
        on_rows(doubled(8, 8), chained=True), {("row_order", ROWS, 9)}, exactly=False
    ),
    "a cycle is doubled": Case(
        on_rows(doubled(7, 12), chained=True), {("cycle_doubled", ROWS, 13)}, exactly=False
    ),
    "an old cycle comes again": Case(
        on_rows(lambda lines: lines + lines[:6], chained=True),
        {("cycle_doubled", ROWS, 25)},
        exactly=False,
    ),
    "a derived flag is changed, the chain re-computed": Case(
        on_rows(setting(4, primary=True), chained=True),
        {("derived_differs", ROWS, 4), ("cross_check", JOURNAL, 11)},
    ),
    "a derived count is changed, the chain re-computed": Case(
        on_rows(setting(24, distinct_mined_beyond=7), chained=True),
        {("derived_differs", ROWS, 24), ("cross_check", JOURNAL, 14)},
    ),
    "a counter is changed, all derived from it, the chain re-computed": Case(
        on_rows(
            setting(4, placed_used={"cobblestone": 0, "dirt": 0, "oak_planks": 0, "oak_log": 2,
                                    "crafting_table": 0},
                    placed_used_total=2, primary=True, distinct_block_types=1),
            chained=True,
        ),
        {("cross_check", JOURNAL, 11)},
        exactly=False,
    ),
    "the last cycle is rewritten, the chain re-computed": Case(
        on_rows(setting(24, note="x"), chained=True), {("cross_check", JOURNAL, 14)}
    ),
    "a null before the pin is forged": Case(
        on_rows(
            setting(10, baseline_wood=None, secondary=None, distinct_mined_beyond=None),
            chained=True,
        ),
        {("pin_differs", ROWS, 10)},
        exactly=False,
    ),
    "another pin is forged": Case(
        on_rows(setting(10, baseline_wood="birch_log", distinct_mined_beyond=1), chained=True),
        {("pin_differs", ROWS, 10)},
        exactly=False,
    ),
    "a unit gets another arm": Case(
        on_rows(setting(1, arm="control", role="control", kin=11), chained=True),
        {("wrong_arm", ROWS, 1)},
        exactly=False,
    ),
    "a unit gets another name": Case(
        on_rows(setting(2, uni="UNI-10-9"), chained=True),
        {("unknown_unit", ROWS, 2)},
        exactly=False,
    ),
    "a slot is moved": Case(
        on_rows(setting(3, poll_ts="2026-01-01T00:00:00.001Z"), chained=True),
        {("slot", ROWS, 3)},
        exactly=False,
    ),
    "another collector's row": Case(
        on_rows(setting(3, collector_id="ffffffff"), chained=True),
        {("collector_id", ROWS, 3)},
        exactly=False,
    ),
    "an id is left out": Case(
        on_rows(setting(3, crafted={"oak_planks": 0}), chained=True),
        {("wrong_ids", ROWS, 3)},
        exactly=False,
    ),
    "the hoard is left out": Case(
        on_rows(setting(3, inv_now={"stick": 1}, pickaxe_hoard=None), chained=True),
        {("wrong_ids", ROWS, 3)},
        exactly=False,
    ),
    "an id is added": Case(
        on_rows(setting(3, extra={"mine_grass": 0}), chained=True),
        {("wrong_ids", ROWS, 3)},
        exactly=False,
    ),
    "a row is no row": Case(
        on_rows(lambda lines: [*lines[:7], b"not a row\n", *lines[8:]]),
        {("unreadable_line", ROWS, 8), ("chain_broken", ROWS, 9)},
    ),
    "a line is put in": Case(
        on_rows(lambda lines: [*lines[:7], b"\n", *lines[7:]]),
        {("unreadable_line", ROWS, 8)},
        exactly=False,
    ),
    "a cycle outside the window": Case(
        on_rows(
            lambda lines: lines + [edited(x, lambda v: v.update(cycle=66)) for x in lines[:6]],
            chained=True,
        ),
        {("outside_window", ROWS, 25), ("after_close", ROWS, 25)},
        exactly=False,
    ),
    "a journal line is edited": Case(
        on_journal(setting(3, created=[])), {("chain_broken", JOURNAL, 3)}
    ),
    "a journal line is deleted": Case(
        on_journal(without(4, 4)), {("chain_broken", JOURNAL, 4)}, exactly=False
    ),
    "the journal's beginning is cut off": Case(
        on_journal(without(1, 1)),
        {("chain_broken", JOURNAL, 1), ("journal_cut", JOURNAL, 1)},
        exactly=False,
    ),
    "the journal's end is cut off": Case(
        on_journal(without(14, 99)), {("heartbeat_missing", ROWS, 19)}
    ),
    "a heartbeat is deleted, the chain re-computed": Case(
        on_journal(without(12, 12), chained=True), {("heartbeat_order", JOURNAL, 12)}
    ),
    "a heartbeat is doubled, the chain re-computed": Case(
        on_journal(doubled(12, 12), chained=True), {("heartbeat_order", JOURNAL, 13)}
    ),
    "a heartbeat's head is changed, the chain re-computed": Case(
        on_journal(setting(12, rows_head="0" * 64), chained=True), {("cross_check", JOURNAL, 12)}
    ),
    "a heartbeat's count is changed, the chain re-computed": Case(
        on_journal(setting(12, rows=11), chained=True), {("cross_check", JOURNAL, 12)}
    ),
    "a heartbeat counts nothing, the chain re-computed": Case(
        on_journal(setting(12, rows=0), chained=True), {("cross_check", JOURNAL, 12)}
    ),
    "the close counts other rows, the chain re-computed": Case(
        on_journal(setting(15, rows=18), chained=True), {("cross_check", JOURNAL, 15)}
    ),
    "the close counts nothing, the chain re-computed": Case(
        on_journal(setting(15, rows=0, rows_head=""), chained=True), {("cross_check", JOURNAL, 15)}
    ),
    "the journal is gone": Case(
        lambda run: run.journal.unlink(),
        {("journal_missing", JOURNAL, None), ("not_sealed", ROWS, None)},
    ),
    "the registration is changed": Case(
        lambda run: _put(run.registration, VALID.replace("k_primary = 2", "k_primary = 1")),
        {("seal_broken", "registration.toml", None)},
    ),
    "a blank is added to the registration": Case(
        lambda run: _put(run.registration, VALID + " "),
        {("seal_broken", "registration.toml", None)},
    ),
    "the registration is gone": Case(
        lambda run: run.registration.unlink(), {("seal_broken", "registration.toml", None)}
    ),
    "the sealed text is changed, the chain re-computed": Case(
        on_journal(setting(2, text=VALID.replace("k_primary = 2", "k_primary = 1")), chained=True),
        {("seal_mismatch", JOURNAL, 2)},
        exactly=False,
    ),
    "the gate is sealed again, the chain re-computed": Case(
        on_journal(lambda lines: [*lines[:2], lines[1], *lines[2:]], chained=True),
        {("sealed_again", JOURNAL, 3)},
        exactly=False,
    ),
    "the seal comes after the opening": Case(
        on_journal(lambda lines: [lines[0], *lines[2:10], lines[1], *lines[10:]], chained=True),
        {("not_sealed", JOURNAL, 9)},
        exactly=False,
    ),
    "a word after the close": Case(
        on_journal(
            more(b'{"ts":"2026-01-01T00:00:00.000Z","event":"note","text":"x","chain":"0"}\n'),
            chained=True,
        ),
        {("after_close", JOURNAL, 16)},
    ),
    "an unknown word after the close": Case(
        on_journal(
            more(b'{"ts":"2026-01-01T00:00:00.000Z","event":"\\u001b[2J","x":1,"chain":"0"}\n'),
            chained=True,
        ),
        {("after_close", JOURNAL, 16)},
    ),
    "a row after the close": Case(
        on_rows(
            lambda lines: [
                *lines,
                edited(lines[18], lambda v: v.update(cycle=4, poll_ts="2026-01-01T00:40:00.000Z")),
            ],
            chained=True,
        ),
        {("after_close", ROWS, 25), ("cycle_incomplete", ROWS, 25)},
    ),
    "half a row at the end": Case(
        on_rows(more(b'{"schema"')), {("torn_tail", ROWS, 25)}
    ),
    "NULs at the journal's end": Case(
        on_journal(more(b"\0" * 512)), {("torn_tail", JOURNAL, 16)}
    ),
}  # fmt: skip

"""What was found by soaking and fuzzing, one test each, so that it stays found."""

import gc
import tracemalloc
from pathlib import Path

import pytest

from plateau_tui.config import console_config
from plateau_tui.metric.tables import ConfigError
from plateau_tui.server import transport
from plateau_tui.server.errors import ReplyError
from plateau_tui.server.replies import parse_score, parse_scores
from plateau_tui.server.transport import Endpoint, Transport

WHERE_IDS_ARE = (__file__, transport.__file__)


def test_the_ids_of_requests_are_not_kept_in_memory() -> None:
    """``itertools.cycle`` keeps all that it yields: 2 MB in every thousand cycles of 12 units."""
    ids = Transport(Endpoint("127.0.0.1", 1), "x")._ids
    next(ids)
    gc.collect()
    tracemalloc.start()
    try:
        seen = [next(ids) for _ in range(3)]
        for _ in range(100_000):
            next(ids)
        taken = tracemalloc.take_snapshot()
    finally:
        tracemalloc.stop()
    # What threads of other tests still do in the meantime is not counted.
    here = [tracemalloc.Filter(inclusive=True, filename_pattern=each) for each in WHERE_IDS_ARE]
    grown = sum(each.size for each in taken.filter_traces(here).statistics("filename"))
    assert seen == [2, 3, 4]
    assert grown < 10_000


def test_a_number_that_java_never_prints_is_no_value() -> None:
    """Taken for 0, which a reading may never be that was not read."""
    with pytest.raises(ReplyError):
        parse_score("UNI-10-1 has -0 [mine_stone]", "UNI-10-1", "mine_stone")
    with pytest.raises(ReplyError):
        parse_scores("UNI-10-1 has 1 scores:[mine_stone]: -0", "UNI-10-1")
    assert parse_score("UNI-10-1 has -7 [x]", "UNI-10-1", "x").value == -7


BOMBS = {
    "deep": b"x = " + b"[" * 50_000,
    "a number of 5,000 digits": b"mouse = " + b"9" * 5000,
    "a key of 100,000 parts": b"a" + b".a" * 100_000 + b" = 1",
    "a megabyte": b"#" * 1_000_000,
    "not UTF-8": b'mouse = "\xff"',
}


@pytest.mark.timeout(20)
@pytest.mark.parametrize("text", BOMBS.values(), ids=BOMBS.keys())
def test_a_bomb_in_the_consoles_own_settings_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: bytes
) -> None:
    monkeypatch.setattr("plateau_tui.config.config_file", lambda: tmp_path / "config.toml")
    (tmp_path / "config.toml").write_bytes(text)
    with pytest.raises(ConfigError) as caught:
        console_config()
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 700

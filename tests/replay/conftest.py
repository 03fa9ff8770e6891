from pathlib import Path

import pytest
from console.conftest import own_home, stopped_clock
from replay import earlier

__all__ = ["own_home", "stopped_clock"]


@pytest.fixture
def gaps(tmp_path: Path) -> Path:
    """Forty cycles of the earlier collector, of which the sixth to eighth were not read."""
    return earlier.write(tmp_path / "old.jsonl.gz", earlier.rows(40, gaps={5, 6, 7}))

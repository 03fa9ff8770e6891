"""The wall clock of the screens, in one place so that a test can stop it."""

from plateau_tui.collector.run import wall_ms


def now_ms() -> int:
    """Return milliseconds since 1970 in UTC."""
    return wall_ms()

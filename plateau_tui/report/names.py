"""The names of an export's files; loading this loads nothing of the verdict."""

from pathlib import Path
from typing import Final

EXPORT: Final = "export"
RECORD: Final = "verdict.json"
PAGE: Final = "verdict.md"
ATTESTATION: Final = "attestation.toml"
SEALED_TEXT: Final = "registration.sealed.toml"
PLOTS: Final = "plots"
SUMS: Final = "SHA256SUMS"
_OF_A_RUN: Final = ("connection.toml", "mailbox", "collector.lock")


def is_export(path: Path) -> bool:
    """Say whether a folder is an export, or what is left of one.

    In a run's own folder an operator may have put a file of one of these names.
    """
    there = {name for name in (SUMS, RECORD, PAGE) if (path / name).exists()}
    in_use = any((path / name).exists() for name in _OF_A_RUN)
    return {SUMS, RECORD} <= there or (bool(there) and not in_use)

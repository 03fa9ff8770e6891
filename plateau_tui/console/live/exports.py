"""Whether a run has an export, and whether that still says what the run's answers say."""

import filecmp

from plateau_tui.report.names import ATTESTATION, EXPORT, SUMS
from plateau_tui.runlog.layout import RunFolder

EXPORT_IS_OLD = "the export is older than the answers"


def is_exported(folder: RunFolder) -> bool:
    """Say whether the run's own export is whole: its checksums are written last."""
    try:
        return (folder.path / EXPORT / SUMS).is_file()
    except OSError:
        return False


def is_export_old(folder: RunFolder) -> bool:
    """Say whether the answers are others than those that the run's export holds."""
    if not is_exported(folder):
        return False
    now, then = folder.path / ATTESTATION, folder.path / EXPORT / ATTESTATION
    try:
        if not (now.is_file() and then.is_file()):
            return now.is_file() or then.is_file()
        return not filecmp.cmp(now, then)
    except OSError:
        return False

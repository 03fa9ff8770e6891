"""A request that no collector answered: whether it was taken back is said."""

from pathlib import Path

import pytest
from runlog.runs import new_folder

from plateau_tui.collector import mailbox
from plateau_tui.collector.operate import ask_collector
from plateau_tui.collector.run import CollectorHoldsRunError
from plateau_tui.runlog.layout import RunFolder


@pytest.mark.parametrize(
    ("taken", "words"),
    [(False, "the request was taken back"), (True, "the request may still be done")],
)
def test_what_became_of_a_request_without_an_answer_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, taken: bool, words: str
) -> None:
    folder = new_folder(tmp_path / "a")

    def nobody(of: RunFolder, request_id: str) -> None:
        if taken:
            (of.mailbox / f"{request_id}.json").unlink()

    monkeypatch.setattr(mailbox, "await_answer", nobody)
    with pytest.raises(CollectorHoldsRunError, match=words):
        ask_collector(folder, "note", "op", {"text": "x"})
    assert list(folder.mailbox.iterdir()) == []

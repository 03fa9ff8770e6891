"""What a crash leaves behind: nowhere in it is the password, though the bug itself cites it."""

import os
import resource
import signal
from pathlib import Path

from collector.bench import wait_for
from console.terminal import Terminal
from console.test_terminal import gone
from secrecy.home import LIMIT_S, Home
from secrecy.searching import CANARY

from plateau_tui.collector import mailbox

CRASHING = str(Path(__file__).with_name("crashing.py"))


def given(home: Home) -> tuple[str, ...]:
    return ("--password-file", str(home.secret_file))


def test_a_bug_in_the_loop_is_told_without_the_password_it_cites(home: Home) -> None:
    home.make_run()
    process = home.start("loop", "collect", "r", *given(home), program=(CRASHING,))
    home.ended("collect", process, 1)
    said = b"".join(home.said.values())
    assert b"Traceback" in said
    assert b"a bug with <password> and '<password>'" in said
    assert b"collector_stopped" in home.folder.journal.read_bytes()
    assert home.found() == []


def test_a_bug_in_a_reading_is_a_gap_whose_note_does_not_cite_the_password(home: Home) -> None:
    home.make_run()
    process = home.start("reading", "collect", "r", *given(home), program=(CRASHING,))
    note = b"an error of the collector itself: ValueError: could not send"
    wait_for(lambda: home.folder.rows.exists() and note in home.folder.rows.read_bytes(), LIMIT_S)
    process.send_signal(signal.SIGTERM)
    home.ended("collect", process, 143)
    assert note in home.folder.journal.read_bytes()
    home.run("close", "r", "--early", "--why", "a bug")
    home.run("export", "r")
    assert home.found() == []


def test_a_bug_in_a_reading_by_hand_is_answered_without_the_password_it_cites(home: Home) -> None:
    home.make_run()
    process = home.start("hand", "collect", "r", *given(home), program=(CRASHING,))
    wait_for(home.folder.rows.exists, LIMIT_S)
    answer = b"an error of the collector itself: ValueError: could not send"

    def answered() -> bool:
        mailbox.await_answer(home.folder, mailbox.post(home.folder, "poll_now", "tester", {}))
        return answer in home.folder.journal.read_bytes()

    wait_for(answered, LIMIT_S)  # a slot that is nearly over declines
    process.send_signal(signal.SIGTERM)
    home.ended("collect", process, 143)
    assert home.found() == []


def test_a_console_that_crashes_behind_the_prompt(home: Home) -> None:
    home.make_run()
    with Terminal(
        "console", "attach", "r",
        cwd=home.path / "tmp", environment=home.environment, program=(CRASHING,),
    ) as terminal:  # fmt: skip
        terminal.until_words("UNI-11-3")
        terminal.send("c")
        terminal.until_words("RCON password")
        terminal.send(f"{CANARY}\r")
        assert terminal.ended() == 1
        home.said["the console"] = terminal.raw
    assert b"the console crashed" in terminal.raw
    assert home.found() == []


def test_an_aborted_collector_leaves_frames_and_no_core_file(home: Home) -> None:
    """The fault handler's report names files and lines; a core file would be the whole memory."""
    home.make_run()
    home.extra["PYTHONFAULTHANDLER"] = "1"
    before = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (before[1], before[1]))
    try:
        pid = int(home.run("collect", "r", "--detach", *given(home)))
    finally:
        resource.setrlimit(resource.RLIMIT_CORE, before)
    limits = Path(f"/proc/{pid}/limits").read_text(encoding="ascii")
    core = next(line for line in limits.splitlines() if line.startswith("Max core file size"))
    assert core.split()[4] == "0"
    os.kill(pid, signal.SIGABRT)
    wait_for(lambda: gone(pid))
    assert b"Fatal Python error: Aborted" in home.folder.collector_log.read_bytes()
    assert home.found() == []

"""Runs ``plateau-tui`` as a child process, as an operator or a script does."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PASSWORD = "canary-4f1c-secret"


@dataclass
class Shell:
    """A user's shell with folders of its own; ``password`` None leaves the variable unset."""

    home: Path
    password: str | None = PASSWORD
    extra: dict[str, str] = field(default_factory=dict)

    @property
    def runs(self) -> Path:
        return self.home / "runs"

    def environment(self) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith("PLATEAU_TUI_")}
        own = {
            "HOME": str(self.home),
            "XDG_STATE_HOME": str(self.home / "state"),
            "XDG_DATA_HOME": str(self.home / "data"),
            "PLATEAU_TUI_RUNS": str(self.runs),
            "LOGNAME": "tester",
        }
        secret = {} if self.password is None else {"PLATEAU_TUI_RCON_PASSWORD": self.password}
        return kept | own | secret | self.extra

    def run_bytes(self, *words: str) -> "subprocess.CompletedProcess[bytes]":
        """Run a command whose output is data, byte for byte."""
        return subprocess.run(
            [sys.executable, "-m", "plateau_tui", *words],
            capture_output=True,
            env=self.environment(),
            cwd=self.home,
            stdin=subprocess.DEVNULL,
            check=False,
            timeout=60,
        )

    def run(self, *words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-m", "plateau_tui", *words],
            capture_output=True,
            text=True,
            env=self.environment(),
            cwd=self.home,
            stdin=subprocess.DEVNULL,
            check=False,
            timeout=60,
        )

    def json(self, *words: str, code: int = 0) -> Any:  # noqa: ANN401 - whatever the command says
        done = self.run(*words, "--json")
        assert done.returncode == code, done.stderr
        return json.loads(done.stdout)

    def refused(self, *words: str, code: int) -> str:
        """Run a command that must fail with ``code`` and one line; return the line."""
        done = self.run(*words)
        assert done.returncode == code, (done.stdout, done.stderr)
        lines = done.stderr.splitlines()
        assert len(lines) == 1, done.stderr
        assert lines[0].startswith("plateau-tui: ")
        assert "Traceback" not in done.stderr
        return lines[0]

    def draft(self, name: str, **changes: str) -> Path:
        """Make a run and change values of its draft: key -> TOML text.

        Its three pairs cannot pass at 0.95, so it is accepted by a sentence unless told otherwise.
        """
        assert self.run("new", name).returncode == 0
        changes = {"accept": '"three pairs, to try the commands on"'} | changes
        path = self.runs / name / "registration.toml"
        lines = path.read_text(encoding="utf-8").splitlines()
        for key, value in changes.items():
            at = next(i for i, line in enumerate(lines) if line.startswith(f"{key} = "))
            lines[at] = f"{key} = {value}"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path.parent

"""A user's account with the product in it, where each child process tells what it was given.

Every Python process that is started there, also by the product itself, and the probe first write
their arguments and their environment into ``witness/``: none is too short-lived to be seen.
"""

import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from collector.bench import gate, wait_for
from secrecy.searching import CANARY, leaks, leaks_below

from plateau_tui.collector import hand
from plateau_tui.collector.run import open_run
from plateau_tui.runlog.connection import PASSWORD_VARIABLE
from plateau_tui.runlog.layout import RunFolder, create_run
from plateau_tui.runlog.writer import open_journal

LIMIT_S = 90.0
"""What may take so long on a machine that does other things as well."""
_SITE = """\
import os
here = os.environ.get("CANARY_WITNESS")
if here:
    told = b""
    for name in ("cmdline", "environ"):
        with open("/proc/self/" + name, "rb") as file:
            told += file.read() + b"\\n"
    with open(os.path.join(here, str(os.getpid())), "wb") as file:
        file.write(told)
"""
_KEYRING = """\
import os
from keyring.backend import KeyringBackend

class Ring(KeyringBackend):
    priority = 1
    def get_password(self, service, username):
        with open(os.environ["CANARY_GIVEN"], encoding="utf-8") as file:
            return file.read()
    def set_password(self, service, username, password):
        raise NotImplementedError
    def delete_password(self, service, username):
        raise NotImplementedError
"""
_PROBE = """\
cat /proc/$$/cmdline /proc/$$/environ > "$CANARY_WITNESS/$$"
for unit in UNI-10-1 UNI-10-2 UNI-10-3 UNI-11-1 UNI-11-2 UNI-11-3; do
    echo "{\\"uni\\": \\"$unit\\", \\"phase\\": 1}"
done
"""


@dataclass
class Home:
    """The account's folders; what was given to it lies in ``given`` and is not searched."""

    path: Path
    port: int
    extra: dict[str, str] = field(default_factory=dict)
    said: dict[str, bytes] = field(default_factory=dict)
    own: set[int] = field(default_factory=set)

    @classmethod
    def make(cls, path: Path, port: int, *, interval_s: float = 1.0, cycles: int = 4000) -> "Home":
        home = cls(path, port)
        for name in ("given", "witness", "site", "tmp", "state", "data", "config", "cache", "run"):
            (path / name).mkdir(mode=0o700)
        (path / "site" / "sitecustomize.py").write_text(_SITE)
        (path / "site" / "canaryring.py").write_text(_KEYRING)
        (path / "probe.sh").write_text(_PROBE)
        home.secret_file.write_text(CANARY + "\n", encoding="utf-8")
        home.secret_file.chmod(0o600)
        (path / "draft.toml").write_text(gate(3, interval_s, cycles, start="offset"))
        return home

    @property
    def secret_file(self) -> Path:
        return self.path / "given" / "pw"

    @property
    def folder(self) -> RunFolder:
        return RunFolder(self.path / "run" / "r")

    @property
    def environment(self) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith("PLATEAU_TUI_")}
        return kept | {
            "HOME": str(self.path),
            "TMPDIR": str(self.path / "tmp"),
            "XDG_STATE_HOME": str(self.path / "state"),
            "XDG_DATA_HOME": str(self.path / "data"),
            "XDG_CONFIG_HOME": str(self.path / "config"),
            "XDG_CACHE_HOME": str(self.path / "cache"),
            "PLATEAU_TUI_RUNS": str(self.path / "run"),
            "PLATEAU_TUI_RCON_PORT": str(self.port),
            "PYTHONPATH": str(self.path / "site"),
            "CANARY_WITNESS": str(self.path / "witness"),
            "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
            "LOGNAME": "tester",
            **self.extra,
        }

    def given_by_keyring(self) -> None:
        ring = {"PYTHON_KEYRING_BACKEND": "canaryring.Ring", "CANARY_GIVEN": str(self.secret_file)}
        self.extra |= ring

    def start(
        self, *words: str, program: tuple[str, ...] = ("-m", "plateau_tui"), secret: bool = False
    ) -> "subprocess.Popen[bytes]":
        """Start the product; what the test itself puts into its environment is no leak."""
        process = subprocess.Popen(
            [sys.executable, *program, *words],
            env=self.environment | ({PASSWORD_VARIABLE: CANARY} if secret else {}),
            cwd=self.path / "tmp",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        if secret:
            self.own.add(process.pid)
        return process

    def run(self, *words: str, code: int | None = 0, secret: bool = False) -> bytes:
        """Run one command to its end; all that it said is kept for the search.

        With ``secret`` its environment holds the canary.
        """
        return self.ended(" ".join(words), self.start(*words, secret=secret), code)

    def ended(self, name: str, process: "subprocess.Popen[bytes]", code: int | None = 0) -> bytes:
        out, err = process.communicate(timeout=LIMIT_S)
        self.said[f"{name} #{len(self.said)}"] = out + b"\n" + err
        assert code is None or process.returncode == code, (name, process.returncode, err)
        return out

    def make_run(self) -> None:
        """Make and seal the run, with a probe; none of it needs the password or a process."""
        text = (self.path / "draft.toml").read_text(encoding="utf-8")
        probe = f'[probe]\ncommand = ["/bin/sh", "{self.path / "probe.sh"}"]\n'
        files = {"registration.toml": text, "connection.toml": probe}
        create_run(self.folder, files, 0o700)
        open_journal(self.folder)
        with open_run(self.folder) as run:
            hand.seal(run, "tester")

    def until_probed(self) -> None:
        """Wait until the probe was heard in some row: it has been a child of the collector."""
        wait_for(
            lambda: (
                self.folder.rows.exists() and b'"probe_ok":true' in self.folder.rows.read_bytes()
            ),
            LIMIT_S,
        )

    def witnesses(self) -> dict[int, bytes]:
        """Return what each process was given, by its id."""
        folder = self.path / "witness"
        return {int(path.name): path.read_bytes() for path in folder.iterdir()}

    def found(self) -> list[str]:
        """Return every place but the given one where the canary is."""
        but = [self.path / "given", *(self.path / "witness" / str(pid) for pid in self.own)]
        found = leaks_below(self.path, but=but)
        for name, text in self.said.items():
            found += leaks(f"what '{name}' said", text)
        return found


def living(pid: int) -> bytes:
    """Return what anybody can see of a running process: arguments, title, environment."""
    proc = Path("/proc") / str(pid)
    return b"\n".join(map(seen, (proc / name for name in ("cmdline", "comm", "environ"))))


def seen(path: Path) -> bytes:
    """Return what is to be seen there: nothing where the system shows it to root alone."""
    try:
        return path.read_bytes()
    except PermissionError:
        return b""

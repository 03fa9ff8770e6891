"""A small reader of systemd's unit files, of crontabs, and of the command lines in a page."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
UNITS = DOCS / "systemd"
SPECIFIERS = {"%i": "p1-curiosity", "%d": "/run/credentials/x", "%S": "/var/lib", "%%": "%"}


def settings(path: Path) -> dict[str, list[str]]:
    """Return ``Section.Key`` -> its values, in their order; continued lines are joined."""
    found: dict[str, list[str]] = {}
    section = ""
    text = re.sub(r"\\\n\s*", " ", path.read_text(encoding="utf-8"))
    for raw in text.splitlines():
        line = raw.strip()
        if not line or line.startswith(("#", ";")):
            continue
        if line.startswith("["):
            assert line.endswith("]"), (path.name, line)
            section = line[1:-1]
            continue
        key, sign, value = line.partition("=")
        assert sign, (path.name, line)
        assert section, (path.name, line)
        found.setdefault(f"{section}.{key.strip()}", []).append(value.strip())
    return found


def resolved(value: str) -> str:
    """Return a value with its specifiers replaced; one that we do not know is an error."""
    return re.sub(r"%.", lambda match: SPECIFIERS[match[0]], value)


def crontab(path: Path) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the five fields and the command's words of each line of a crontab, but its settings."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip() and not re.match(r"#|[A-Z_]+ *=", line):
            *fields, command = line.split(maxsplit=5)
            yield fields, shlex.split(command)


def shown_commands(page: Path) -> list[str]:
    """Return the lines of a page's code that run ``plateau-tui``, without a prompt."""
    text = re.sub(r"\\\n\s*", " ", page.read_text(encoding="utf-8"))
    blocks: list[str] = re.findall(
        r"(?:^(?: {4}|\t).*\n)+|^```[a-z]*\n.*?^```", text, re.MULTILINE | re.DOTALL
    )
    lines = [line.strip() for block in blocks for line in block.splitlines()]
    return [line for line in lines if re.match(r"(?:\S+=\S+ )*plateau-tui(?: |$)", line)]

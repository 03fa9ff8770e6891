"""What a process holds and has used, read from /proc."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Self

HAVE_PROC = Path("/proc/self/stat").exists()


@dataclass(frozen=True, slots=True)
class Held:
    """``cpu_s``: seconds of CPU used so far, by all its threads; ``memory_kb``: resident now."""

    threads: int
    descriptors: int
    memory_kb: int
    cpu_s: float

    @classmethod
    def by(cls, pid: int) -> Self:
        """Return what a living process holds now."""
        folder = Path(f"/proc/{pid}")
        fields = (folder / "stat").read_text().rpartition(")")[2].split()
        status = dict(
            line.split(":", 1) for line in (folder / "status").read_text().splitlines() if line
        )
        return cls(
            threads=int(fields[17]),
            descriptors=len(list((folder / "fd").iterdir())),
            memory_kb=int(status["VmRSS"].split()[0]),
            cpu_s=(int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"),
        )

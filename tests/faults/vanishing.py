"""A peer that vanishes without a word; run as a script in a network of its own.

Arguments: a folder. The loopback is taken down under a connection that stands, and up again: no
FIN, no RST, packets are lost. Prints what the journal told of it, and "true" at its end.
"""

import subprocess
import sys
from pathlib import Path


def loopback(state: str) -> None:
    subprocess.run(["ip", "link", "set", "lo", state], check=True)  # noqa: S607 - as found


def main() -> None:
    loopback("up")
    from collector.bench import Running, wait_for  # noqa: PLC0415 - the network comes first
    from faults.stage import staged  # noqa: PLC0415

    with staged(Path(sys.argv[1])) as stage, stage.counting(), Running(stage.bench):
        stage.await_healthy()
        before = len(stage.journal())
        loopback("down")
        stage.await_cycles(3)
        loopback("up")
        stage.await_healthy()
        told = stage.told(before) & {"timed_out", "unreachable"}
        wait_for(lambda: told <= stage.recovered(before))
    stage.assert_true()
    sys.stdout.write(" ".join([*sorted(told), "true"]) + "\n")


if __name__ == "__main__":
    main()

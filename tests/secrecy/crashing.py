"""The product with a bug that cites the password, run as a script: ``crashing.py WHERE …``."""

import sys
from collections.abc import Callable
from typing import NoReturn

from plateau_tui.cli.main import main
from plateau_tui.collector.asking import CycleAsker, CycleRead
from plateau_tui.collector.loop import Collector
from plateau_tui.collector.rowbuild import Slot
from plateau_tui.collector.run import Password
from plateau_tui.console.starting import CollectorStarter

real_read = Collector._read


def in_a_reading(collector: Collector, slot: Slot) -> CycleRead:
    if slot.cycle == 0:
        return real_read(collector, slot)
    raise ValueError(f"could not send {collector._access.password.reveal()!r}")


def in_the_loop(collector: Collector) -> NoReturn:
    secret = collector._access.password.reveal()
    raise RuntimeError(f"a bug with {secret} and {secret!r}")


def in_a_reading_by_hand(*_: object) -> Callable[[], NoReturn]:
    def job() -> NoReturn:
        raise ValueError(f"could not send {Password.held[-1].reveal()!r}")

    return job


async def in_the_console(starter: CollectorStarter, *_: object) -> NoReturn:
    access = await starter.access()
    assert access is not None
    secret = access.password.reveal()
    raise RuntimeError(f"a bug with {secret}")


BUGS = {
    "reading": (Collector, "_read", in_a_reading),
    "hand": (CycleAsker, "by_hand", in_a_reading_by_hand),
    "loop": (Collector, "_loop", in_the_loop),
    "console": (CollectorStarter, "ask", in_the_console),
}
owner, name, bug = BUGS[sys.argv.pop(1)]
setattr(owner, name, bug)
main()

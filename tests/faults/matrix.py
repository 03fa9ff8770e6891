"""Every fault of a server, each by itself: what it injects, what must stand in the journal.

One table: ``test_matrix`` plays each record, ``test_mixes`` those on the wire in seeded mixtures,
and the page on reliability is written from ``name``, ``injects`` and ``promise``. What holds for
all of them is not repeated in each: every value in the log is one that the server held when it
was read, what is unknown is null with a note, cycles are complete and never doubled, and threads
and descriptors return to where they were.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from faults.stage import INTERVAL_S, LEAVER, VICTIM, VICTIM_COUNT, Stage

from plateau_tui.sim import faults as sf
from plateau_tui.sim.options import ServerOptions

Act = Callable[[Stage], None]


@dataclass(frozen=True, slots=True)
class ServerFault:
    """One fault.

    ``told``: the journal must hold one of these while it lasts (fault codes, or names of events);
    empty where it is no fault to the reader. ``heals``: after it, a cycle is read whole again and
    the journal says so. ``whole``: cycles are read whole even while it lasts.
    """

    name: str
    injects: str
    promise: str
    told: frozenset[str]
    begin: Act
    end: Act
    heals: bool = True
    whole: bool = False
    options: ServerOptions | None = None


_NULLS: Final = "nulls with a note while it lasts, whole cycles after it"
_ASKED_AGAIN: Final = "dropped and asked again on a fresh connection; null where it stays so"


def _nothing(stage: Stage) -> None:
    del stage


def _clear(stage: Stage) -> None:
    stage.server.faults.clear()


def _always(fault: sf.Fault) -> Act:
    return lambda stage: stage.server.faults.always(fault)


def noise() -> sf.Fault:
    """Put a line of the server's console before each answer."""

    def steps(answer: sf.Answer) -> list[sf.Step]:
        text = f"[Server] Restarting in 5 minutes!\n{answer.text}"
        return [sf.Send(each) for each in sf.Answer(answer.request_id, text).packets()]

    return sf.Fault("noise", steps)


_OWED: Final = "§6Removed§c 0 §6of§c wooden_pickaxe §6from§c UNI-10-1§6.\n"

WIRE: Final[dict[str, sf.Fault]] = {
    "reset": sf.reset(),
    "closed": sf.drop(),
    "no answer": sf.hang(),
    "hang in the middle of a reply": sf.hang_mid_reply(),
    "closed in the middle of a reply": sf.drop_mid_reply(),
    "one byte at a time": sf.dribble(0.0),
    "late answer": sf.late(INTERVAL_S * 0.5),
    "empty answer": sf.empty(),
    "glued answer": sf.glued("There are 0 of a max of 20 players online: "),
    "swapped answer": sf.replaced("UNI-10-2 has 3 scores:[mine_stone]: 77"),
    "garbage bytes": sf.garbage(),
    "not UTF-8": sf.raw_body(b"\xa76There"),
    "another protocol": sf.bad_length(),
    "wrong id": sf.wrong_id(),
    "wrong type": sf.wrong_type(),
    "lost login": sf.refused(),
    "answered twice": sf.duplicate(),
    "command throws": sf.throws(),
    "console noise": noise(),
}
"""What befalls one answer on its way."""


def _wire(name: str, injects: str, promise: str, *told: str) -> ServerFault:
    return ServerFault(name, injects, promise, frozenset(told), _always(WIRE[name]), _clear)


def _down(stage: Stage) -> None:
    stage.server.go_down()


def _up(stage: Stage) -> None:
    stage.server.come_up()


def _short_restart(stage: Stage) -> None:
    stage.server.restart(INTERVAL_S * 70 / 600)


def _long_restart(stage: Stage) -> None:
    stage.server.restart(INTERVAL_S * 70 / 30)


def _mute(stage: Stage) -> None:
    stage.server.faults.mute = True


def _no_logins(stage: Stage) -> None:
    stage.server.faults.always(sf.drop(), login=True)
    stage.server.drop_connections()


def _freeze(stage: Stage) -> None:
    stage.server.freeze(3600)


def _thaw(stage: Stage) -> None:
    stage.server.thaw()


def _new_password(stage: Stage) -> None:
    stage.server.change_password("another")
    stage.server.restart(0.0)


def _old_password(stage: Stage) -> None:
    stage.server.change_password(stage.bench.password)


def _remove(stage: Stage) -> None:
    stage.victim(None)
    stage.server.scoreboard.remove(VICTIM)


def _make_again(stage: Stage) -> None:
    stage.server.scoreboard.add(VICTIM, "minecraft.mined:minecraft.dirt")
    stage.victim(0)


def _recreate(stage: Stage) -> None:
    stage.victim(0)
    stage.server.scoreboard.recreate(VICTIM)


def _rename_display(stage: Stage) -> None:
    stage.server.scoreboard.rename_display(VICTIM, "Dirt [2]: 7")


def _name_back(stage: Stage) -> None:
    stage.server.scoreboard.rename_display(VICTIM, VICTIM)


def _roll_back(stage: Stage) -> None:
    for unit in stage.bench.units:
        stage.history.change(unit, VICTIM, VICTIM_COUNT - 5)


def _leave(stage: Stage) -> None:
    stage.server.world.leave(LEAVER)


def _return(stage: Stage) -> None:
    stage.server.world.join(LEAVER)


def _renamed(stage: Stage) -> None:
    stage.server.world.leave(LEAVER)
    stage.server.world.add_body("SomebodyElse")


def _named_again(stage: Stage) -> None:
    stage.server.world.leave("SomebodyElse")
    stage.server.world.join(LEAVER)


def _other_case(stage: Stage) -> None:
    stage.server.world.leave(LEAVER)
    stage.server.world.add_body(LEAVER.lower())


def _own_case(stage: Stage) -> None:
    stage.server.world.leave(LEAVER.lower())
    stage.server.world.join(LEAVER)


def _pickaxe_alarm(stage: Stage) -> None:
    stage.server.faults.always(sf.replaced(_OWED), "clear ")


SERVER_FAULTS: Final = (
    ServerFault(
        "refused",
        "the port refuses every connection",
        _NULLS,
        frozenset({"refused"}),
        _down,
        _up,
    ),
    _wire("reset", "every command is answered by a reset", _NULLS, "closed"),
    _wire("closed", "every command is answered by an end of file", _NULLS, "closed"),
    ServerFault(
        "half-open",
        "connections stand and logins are taken in, but nothing is ever answered",
        _NULLS,
        frozenset({"timed_out"}),
        _mute,
        _clear,
    ),
    _wire("no answer", "every command is read and never answered", _NULLS, "timed_out"),
    _wire("hang in the middle of a reply", "half of an answer, then nothing", _NULLS, "timed_out"),
    _wire("closed in the middle of a reply", "half of an answer, then the end", _NULLS, "closed"),
    ServerFault(
        "one byte at a time",
        "answers in segments of one byte",
        "read as they are, within the command's deadline",
        frozenset(),
        lambda stage: stage.server.faults.always(WIRE["one byte at a time"], LEAVER),
        _clear,
        whole=True,
    ),
    _wire(
        "late answer",
        "each answer comes after twice the command's deadline",
        "never taken for the next command's, and no other is asked beside it; " + _NULLS,
        "timed_out",
    ),
    _wire("empty answer", "each answer has no characters", _ASKED_AGAIN, "empty_reply"),
    _wire(
        "glued answer",
        "another command's reply stands behind each",
        _ASKED_AGAIN,
        "garbled_reply",
    ),
    _wire(
        "swapped answer",
        "each answer is another unit's, with the right id",
        _ASKED_AGAIN,
        "mismatch",
        "garbled_reply",
    ),
    ServerFault(
        "old answer",
        "a proxy answers every other question for scores as they stood long ago",
        "a counter that reads lower is asked again in the same cycle; it fell if both say so",
        frozenset({"old_answer"}),
        Stage.answer_as_long_ago,
        _clear,
        whole=True,
    ),
    _wire("garbage bytes", "bytes that are no packet", _ASKED_AGAIN, "protocol"),
    _wire("not UTF-8", "an answer that is not UTF-8", _ASKED_AGAIN, "garbled_reply"),
    _wire("another protocol", "the answers of a web server", _ASKED_AGAIN, "protocol"),
    _wire("wrong id", "each answer carries another request's id", _ASKED_AGAIN, "protocol"),
    _wire("wrong type", "each answer is a packet of another type", _ASKED_AGAIN, "protocol"),
    _wire("lost login", "id -1 in the middle of a session", _ASKED_AGAIN, "protocol"),
    _wire("answered twice", "each answer comes twice", _ASKED_AGAIN, "protocol"),
    _wire("command throws", "`Error executing: <the command> (null)`", _NULLS, "command_failed"),
    _wire(
        "console noise",
        "a line of the server's console before each answer",
        _ASKED_AGAIN,
        "garbled_reply",
    ),
    ServerFault(
        "not RCON",
        "connections are closed before the login's answer",
        _NULLS,
        frozenset({"not_rcon"}),
        _no_logins,
        _clear,
    ),
    ServerFault(
        "restart of 70 s, a poll every 600 s",
        "the port refuses for 70/600 of an interval (scaled: the ratio is what counts)",
        "made good within the cycle where its deadline allows, else one cycle of nulls",
        frozenset(),
        _short_restart,
        _nothing,
    ),
    ServerFault(
        "restart of 70 s, a poll every 30 s",
        "the port refuses for 70/30 of an interval (scaled: the ratio is what counts)",
        _NULLS,
        frozenset({"refused"}),
        _long_restart,
        _nothing,
    ),
    ServerFault(
        "freeze",
        "the server's main thread stands still for many cycles",
        "few questions wait there, the longer the fewer; " + _NULLS,
        frozenset({"timed_out"}),
        _freeze,
        _thaw,
    ),
    ServerFault(
        "slow ticks",
        "each command takes a sixth of the interval, so that a cycle cannot end in time",
        "what was not reached is null; no cycle runs into the next",
        frozenset({"out_of_time", "timed_out"}),
        _always(sf.late(INTERVAL_S / 6)),
        _clear,
    ),
    ServerFault(
        "wrong password after a restart",
        "the server comes back with another password",
        "one login a cycle and no more; " + _NULLS,
        frozenset({"password"}),
        _new_password,
        _old_password,
    ),
    ServerFault(
        "list and clear owned by a plugin",
        "EssentialsX answers the short names; its clear deletes",
        "only namespaced commands are sent: it never comes to it",
        frozenset(),
        _nothing,
        _nothing,
        whole=True,
        options=ServerOptions(essentials=True),
    ),
    ServerFault(
        "clear answered by a plugin all the same",
        "a count of items is answered by `Removed …`",
        "an alarm; no inventory is asked any more in this run, counters go on",
        frozenset({"items_removed"}),
        _pickaxe_alarm,
        _clear,
        heals=False,
        whole=True,
    ),
    ServerFault(
        "objective removed",
        "an objective of the set is removed, later made again",
        "null and never 0; never added again by us; its return and its fall are told",
        frozenset({"objective_missing"}),
        _remove,
        _make_again,
    ),
    ServerFault(
        "objective renamed",
        "an objective gets a display name that looks like a score",
        "read by the literal form, its value unchanged",
        frozenset({"objectives_changed"}),
        _rename_display,
        _name_back,
        whole=True,
    ),
    ServerFault(
        "objective re-created",
        "an objective is removed and made again between two cycles",
        "its new count as the server holds it; the fall is told",
        frozenset({"counter_fell"}),
        _recreate,
        _nothing,
        whole=True,
    ),
    ServerFault(
        "counter rolled back",
        "a counter stands lower than before, as after a crash",
        "the lower count is what stands in the row; the fall is told",
        frozenset({"counter_fell"}),
        _roll_back,
        _nothing,
        whole=True,
    ),
    ServerFault(
        "unit leaves and returns",
        "a unit goes offline for some cycles",
        "online false, its counters read on, its inventory unknown",
        frozenset(),
        _leave,
        _return,
        whole=True,
    ),
    ServerFault(
        "unit renamed",
        "a unit comes back under another name",
        "online false; nothing of the stranger's is taken for the unit's",
        frozenset(),
        _renamed,
        _named_again,
        whole=True,
    ),
    ServerFault(
        "case differs",
        "a unit comes back with its name in another case",
        "online false, and the note says that the case differs",
        frozenset(),
        _other_case,
        _own_case,
        whole=True,
    ),
    ServerFault(
        "another client polls all the time",
        "a second RCON client asks `tps` on the same reply buffer",
        _ASKED_AGAIN,
        frozenset({"empty_reply", "garbled_reply", "mismatch"}),
        Stage.stranger_comes,
        Stage.stranger_leaves,
        options=ServerOptions(wake_s=0.002),
    ),
)

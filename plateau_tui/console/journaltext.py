"""The journal's events in words, one line each."""

from plateau_tui.runlog import events as ev


def entry_text(event: ev.Event | None, name: str) -> str:
    """Return an event as a person reads it, without its time."""
    text = name.replace("_", " ") if event is None else _text(event)
    return f"{event.by}: {text}" if event is not None and event.by else text


def _text(event: ev.Event) -> str:
    return _text_of_run(event) or _text_of_trouble(event) or event.NAME.replace("_", " ")


def _text_of_run(event: ev.Event) -> str:  # noqa: C901, PLR0912 - a table of cases
    text = ""
    match event:
        case ev.Sealed():
            text = f"sealed {event.sha256[:12]}"
        case ev.ObjectiveEvent():
            text = f"objective {event.name}: {event.status} {event.reason}".rstrip()
        case ev.Registered():
            made, had = len(event.created), len(event.existing)
            text = f"registered: {made} created, {had} there already"
        case ev.NamesShown():
            text = f"{len(event.own)} objectives have shown their own names"
        case ev.Watch():
            text = f"watched the logs for {event.polls} polls"
        case ev.Pinned():
            text = f"pinned {event.species} for {event.unit}"
        case ev.CollectorStarted():
            text = f"collector {event.pid} started"
        case ev.CollectorStopped():
            text = f"collector {event.pid} stopped: {event.reason}"
        case ev.WindowOpened():
            text = "the window opened"
        case ev.WindowClosed():
            text = f"the window closed after {event.cycles} cycles {event.why}".rstrip()
        case ev.Note():
            text = f"note: {event.text}"
        case ev.Request():
            text = f"asked for {event.op}"
        case ev.Answer():
            text = f"answer: {'yes' if event.ok else 'no'}, {event.text}"
        case ev.PollNow():
            text = "read by hand"
        case ev.Connection():
            text = f"server {event.host} port {event.port}"
        case _:
            pass
    return text


def _text_of_trouble(event: ev.Event) -> str:  # noqa: C901 - a table of cases
    text = ""
    match event:
        case ev.Fault():
            text = f"FAULT {event.code}: {event.text}"
        case ev.Recovered():
            text = f"over: {event.text}"
        case ev.ObjectiveMissing():
            text = f"OBJECTIVE MISSING: {event.objective}"
        case ev.CounterFell():
            text = f"{event.unit} {event.objective} fell from {event.before} to {event.after}"
        case ev.ClockMoved():
            text = f"the wall clock moved by {event.offset_s:+.1f} s; slots stay"
        case ev.CyclesMissed():
            text = f"cycles {event.first + 1} to {event.last + 1} {event.reason}"
        case ev.TornTail():
            text = f"{event.bytes} bytes of {event.file} moved to {event.moved_to}"
        case ev.LogRestarted():
            text = f"{event.file}: {event.reason}; a new one goes on"
        case ev.SealBroken():
            text = "SEAL BROKEN: registration.toml is not what was sealed"
        case ev.SealRestored():
            text = "registration.toml is again what was sealed"
        case _:
            pass
    return text

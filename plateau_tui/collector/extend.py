"""Adding another log species to a draft, keeping the file's comments."""

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AoT, Table

from plateau_tui.collector.run import DeclinedError, OpenRun, registration_bytes
from plateau_tui.metric.objectives import LOG_SPECIES, nearest
from plateau_tui.metric.registration import Registration, parse_registration
from plateau_tui.resources import game_ids
from plateau_tui.runlog.layout import write_new
from plateau_tui.runlog.progress import LogCounters
from plateau_tui.runlog.state import RunState


def add_species(run: OpenRun, species: str) -> None:
    """Add an objective for ``species`` to the draft's extensions; nothing if it is watched.

    Raises:
        DeclinedError: no log of this version, or the run is sealed.
        ConfigError: the draft cannot be used.

    """
    if not require_may_add(run.registration, run.state, species):
        return
    text = registration_bytes(run.folder)
    extended = _extended(text.decode("utf-8"), species).encode("utf-8")
    run.registration = parse_registration(extended, game_ids())
    write_new(run.folder.registration, extended, run.folder.file_mode)


def require_may_add(registration: Registration, state: RunState, species: str) -> bool:
    """Say whether there is an objective to add for ``species``; False where it is watched.

    Raises:
        DeclinedError: no log of this version, or the run is sealed.

    """
    if species not in LOG_SPECIES:
        raise DeclinedError(
            f"{species!r} is no log of 1.16.5{nearest(species, LOG_SPECIES)}; the logs are "
            f"{', '.join(LOG_SPECIES)}"
        )
    if species in LogCounters(registration, state).species.values():
        return False
    if state.sealed is not None:
        raise DeclinedError("the run is sealed: no objective can be added any more")
    return True


def _extended(text: str, species: str) -> str:
    try:
        document = tomlkit.parse(text)
    except TOMLKitError as error:
        raise DeclinedError(f"registration.toml cannot be extended: {error}") from None
    section = document.get("objectives")
    if not isinstance(section, Table):
        section = tomlkit.table(is_super_table=True)
        document["objectives"] = section
    extensions = section.get("extend")
    if not isinstance(extensions, AoT):
        extensions = tomlkit.aot()
        section["extend"] = extensions
    entry = tomlkit.table()
    entry["name"] = f"mine_{species}"[:16]
    entry["criterion"] = f"minecraft.mined:minecraft.{species}"
    extensions.append(entry)
    return tomlkit.dumps(document)

"""``plateau-tui new``."""

from pathlib import Path

import click

from plateau_tui.cli.common import tell, with_run
from plateau_tui.metric.registration import MOST_SEALED_PAIRS, parse_registration
from plateau_tui.resources import game_ids
from plateau_tui.runlog.connection import CONNECTION_TEMPLATE, DEFAULT_HOST, DEFAULT_PORT
from plateau_tui.runlog.layout import RunFolder, create_run
from plateau_tui.runlog.template import draft_text
from plateau_tui.runlog.tomlfile import toml_bytes
from plateau_tui.runlog.writer import open_journal


class _Mode(click.ParamType[int]):
    name = "MODE"

    def convert(
        self, value: str | int, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        if isinstance(value, int):
            return value
        try:
            mode = int(value, 8)
        except ValueError:
            mode = 0
        if not 0o700 <= mode <= 0o777:  # noqa: PLR2004 - the owner keeps every right
            self.fail(f"{value!r} is no folder mode like 700 or 750", param, ctx)
        return mode


@click.command()
@with_run
@click.option("--from", "source", metavar="FILE", help="Copy this registration.toml.")
@click.option(
    "--units-per-arm", type=click.IntRange(1, MOST_SEALED_PAIRS), default=3, show_default=True
)
@click.option("--mode", type=_Mode(), default="700", show_default=True, help="Folder mode.")
def new_run(folder: RunFolder, source: str | None, units_per_arm: int, mode: int) -> None:
    """Make a run folder with a draft registration.

    Example: plateau-tui new p1-curiosity --units-per-arm 3
    """
    name = folder.path.name
    text = draft_text(name, units_per_arm) if source is None else _copied(source)
    connection = CONNECTION_TEMPLATE.format(host=DEFAULT_HOST, port=DEFAULT_PORT)
    create_run(folder, {"registration.toml": text, "connection.toml": connection}, mode)
    open_journal(folder)
    tell(str(folder.path))


def _copied(source: str) -> str:
    try:
        data = toml_bytes(Path(source))
    except OSError as error:
        raise click.UsageError(f"{source} cannot be read: {error.strerror}") from None
    parse_registration(data, game_ids(), source)
    return data.decode("utf-8")

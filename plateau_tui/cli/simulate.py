"""``plateau-tui sim``."""

import click

from plateau_tui.process import PASSWORD_VARIABLE, given_password
from plateau_tui.sim.run import serve
from plateau_tui.sim.scenarios import DEFAULT_SCENARIO, SCENARIOS


@click.command()
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="0: any free port.")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option(
    "--scenario", type=click.Choice(list(SCENARIOS)), default=DEFAULT_SCENARIO, show_default=True
)
@click.option("--speed", type=click.FloatRange(0, 1000), default=1.0, show_default=True)
def sim(port: int, seed: int, scenario: str, speed: float) -> None:
    """Run the embedded server alone, until it is interrupted; the first line says where.

    The password comes from PLATEAU_TUI_RCON_PASSWORD.

    Example: PLATEAU_TUI_RCON_PASSWORD=secret plateau-tui sim --port 25575 --speed 20
    """
    password = given_password() or ""
    if not password:
        raise click.UsageError(f"set {PASSWORD_VARIABLE}: an empty password never authenticates")
    try:
        status = serve(port, seed, scenario, speed, password)
    except OSError as error:
        raise click.UsageError(f"port {port} cannot be used: {error.strerror}") from None
    raise click.exceptions.Exit(status)

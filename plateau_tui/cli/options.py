"""Options that the command line's entry shares with a command; light, for help stays fast."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import click

Result = TypeVar("Result")

no_mouse = click.option(
    "--no-mouse", is_flag=True, help="Leave the mouse to the terminal, which then selects text."
)


@dataclass(frozen=True, slots=True)
class AskedLook:
    """How the console is to be drawn, as far as flags say; they go before config.toml."""

    theme: str | None = None
    colours: str | None = None
    ascii_only: bool = False

    @property
    def is_asked(self) -> bool:
        """Whether any of it was given."""
        return self != AskedLook()


def looks(command: Callable[..., Result]) -> Callable[..., Result]:
    """Give a command the options of how the console is drawn; it gets them as ``look``."""

    @click.option("--theme", metavar="NAME", help="dark, light, high-contrast, ansi or your own.")
    @click.option(
        "--colours",
        type=click.Choice(["auto", "truecolour", "256", "16", "none"]),
        help="How many colours to send; else the terminal's, none with NO_COLOR.",
    )
    @click.option("--ascii", "ascii_only", is_flag=True, help="Draw no character beyond ASCII.")
    @functools.wraps(command)
    def wrapper(
        theme: str | None, colours: str | None, ascii_only: bool, **options: object
    ) -> Result:
        return command(look=AskedLook(theme, colours, ascii_only), **options)

    return wrapper

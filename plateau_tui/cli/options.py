"""Options that the command line's entry shares with a command; light, for help stays fast."""

import click

no_mouse = click.option(
    "--no-mouse", is_flag=True, help="Leave the mouse to the terminal, which then selects text."
)

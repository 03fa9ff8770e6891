"""A console that is stopped, as by ctrl+z or ``kill -STOP``, and goes on later.

Textual 8.2.8 takes every SIGCONT for the end of a stop that it was told of: after ``kill -STOP``,
of which nobody is told, it reads the keys in two threads, keeps the shell's way of reading for its
own, and draws nothing anew.
"""

import asyncio
import contextlib
import os
import signal
import sys

from textual.driver import Driver

from plateau_tui.console.look.lookedapp import LookedApp


class Asleep:
    """Leaves the terminal to others while the console is stopped, and takes it again."""

    def __init__(self, app: LookedApp, driver: Driver) -> None:
        self._app, self._driver = app, driver
        self._still = contextlib.ExitStack()
        self._sleeps = False
        """Whether the terminal was left in order: a stop of which we were told."""

    def watch(self, loop: asyncio.AbstractEventLoop) -> None:
        """Take over both signals."""
        loop.add_signal_handler(signal.SIGTSTP, self._stop)
        loop.add_signal_handler(signal.SIGCONT, self._go_on)

    def _leave(self) -> None:
        if not self._sleeps:
            self._sleeps = True
            self._still.enter_context(self._app.batch_update())  # nobody would take what is drawn
            self._driver.suspend_application_mode()

    def _stop(self) -> None:
        """Leave the terminal in order, and stop."""
        self._leave()
        os.kill(os.getpid(), signal.SIGSTOP)

    def _go_on(self) -> None:
        """Take the terminal as if for the first time; stop again where it is another's."""
        if not self._app.is_running or self._app.return_code is not None:
            return
        if not _is_ours():
            os.kill(os.getpid(), signal.SIGSTOP)
            return
        self._leave()
        self._driver.resume_application_mode()
        self._sleeps = False
        self._still.close()
        self._app.action_redraw()


def _is_ours() -> bool:
    """Say whether our group of processes is the one that the terminal belongs to."""
    try:
        return os.tcgetpgrp(sys.__stdin__.fileno() if sys.__stdin__ else 0) == os.getpgrp()
    except OSError:
        return True  # it is no terminal of a session: nobody hands it on

"""Reading the keyboard from a terminal that does not send UTF-8."""

from typing import Final, NoReturn

from textual.driver import Driver

NOT_UTF8: Final = (
    "the terminal sent bytes that are not UTF-8; what came with them was left out: "
    "set the terminal, or LANG, to UTF-8"
)


def _raised(error: Exception) -> NoReturn:
    raise error


def forgiving(driver: type[Driver]) -> type[Driver]:
    """Return a driver that goes on reading behind bytes that are not UTF-8.

    A letter of a terminal that is set to Latin-1, or a mouse report of the old kind past column
    95, ends the reading of Textual 8.2.8, and so the application (Textual#6668).
    """
    try:
        from textual.drivers.linux_driver import LinuxDriver  # noqa: PLC0415 - Unix only
    except ImportError:
        return driver
    if not issubclass(driver, LinuxDriver):
        return driver

    class Forgiving(driver):  # type: ignore[misc, valid-type]
        """The driver of this platform."""

        def run_input_thread(self) -> None:
            """Read until the application ends, whatever comes; what was left out is told once."""
            told = False
            while not self.exit_event.is_set():
                try:
                    super().run_input_thread()
                except UnicodeDecodeError:
                    if not told:
                        self._app.call_later(self._app.notify, NOT_UTF8)
                    told = True
                except Exception as error:  # noqa: BLE001 - it ends the application as one of ours
                    self._app.call_later(_raised, error)
                    return

    return Forgiving

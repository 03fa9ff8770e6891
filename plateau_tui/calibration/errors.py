"""What can go wrong around a calibration; each error carries the exit code of the command."""


class ContractError(ValueError):
    """A contract or a reference that cannot be used; ``problems`` are one line each."""

    exit_code = 2

    def __init__(self, source: str, problems: tuple[str, ...]) -> None:
        self.source = source
        self.problems = problems
        super().__init__(source, problems)

    def __str__(self) -> str:
        return f"{self.source}: " + "; ".join(self.problems)


class TargetError(ValueError):
    """A target that is not known, or that cannot be played here."""

    exit_code = 2


class MissingExtraError(TargetError):
    """A target whose packages are not installed; the text says how to install them."""

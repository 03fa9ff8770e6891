"""Reading one JSON object that somebody wrote: every name once, and not made to keep us busy."""

import json
from collections import Counter
from collections.abc import Sequence

from plateau_tui.calibration.errors import ContractError
from plateau_tui.metric.tables import shown


def json_object(text: bytes, source: str, most: int) -> dict[str, object]:
    """Return the object that a text of at most ``most`` bytes holds.

    JSON leaves open what a name means that stands twice in one object, and Python takes the last:
    what was read first would be dropped without a word.

    Raises:
        ContractError: it is larger, or no JSON object, or a name stands twice in one object.

    """
    if len(text) > most:
        raise ContractError(source, (f"is larger than {most} bytes",))
    twice: list[str] = []

    def taken(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
        counted = Counter(name for name, _ in pairs)
        twice.extend(name for name, times in counted.items() if times > 1)
        return dict(pairs)

    try:
        top = json.loads(text, object_pairs_hook=taken)
    except (ValueError, RecursionError) as error:
        raise ContractError(source, (f"is not JSON: {error}",)) from None
    if twice:
        names = ", ".join(shown(repr(name), 80) for name in dict.fromkeys(twice))
        raise ContractError(
            source, (f"the key {names} stands more than once in one object; leave one of them",)
        )
    if not isinstance(top, dict):
        raise ContractError(source, ("must be one JSON object",))
    return top

"""Which HPAs a user means: `namespace/name`, a pattern with `*`, or a name alone that only one HPA has."""

from collections.abc import Iterable
from fnmatch import fnmatchcase


def meant_hpas(text: str, known: Iterable[str]) -> list[str]:
    """The known HPAs (`namespace/name`) that this text means, in their order; none if a name alone is ambiguous."""
    names = list(known)
    if text in names:
        return [text]
    if "/" not in text and "*" not in text:
        with_this_name = [name for name in names if name.partition("/")[2] == text]
        return with_this_name if len(with_this_name) == 1 else []
    pattern = text.replace("[", "[[]").replace("?", "[?]")  # only `*` is special
    return [name for name in names if fnmatchcase(name, pattern)]

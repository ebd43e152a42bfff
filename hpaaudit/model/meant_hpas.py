"""Which HPAs a user means: `namespace/name`, a pattern with `*`, or a name alone that only one HPA has.

A pattern without a namespace is one of names where none of `namespace/name` fits: `check*`. The kind may stand before
a name alone, as kubectl writes it: `hpa/checkout`.
"""

from collections.abc import Iterable
from fnmatch import fnmatchcase

from hpaaudit.model.nearest import did_you_mean

_KINDS = frozenset(
    f"{kind}{group}"
    for kind in ("hpa", "hpas", "horizontalpodautoscaler", "horizontalpodautoscalers")
    for group in ("", ".autoscaling", ".v1.autoscaling", ".v2.autoscaling")
)
"""The words that may stand before the name of an HPA: those of kubectl, `hpa checkout`, and the plural `hpas`."""


def is_kind(text: str) -> bool:
    """True if a text is a kind that kubectl takes for HPAs, as `hpa`."""
    return text.lower() in _KINDS


def meant_hpas(text: str, known: Iterable[str]) -> list[str]:
    """The known HPAs (`namespace/name`) that this text means, in their order; none if a name alone is ambiguous."""
    names = list(known)
    if text in names:
        return [text]
    kind, _, name = text.partition("/")
    if is_kind(kind) and name and not any(one.startswith(f"{kind}/") for one in names):
        text = name
    if "/" not in text and "*" not in text:
        with_this_name = [name for name in names if name.partition("/")[2] == text]
        return with_this_name if len(with_this_name) == 1 else []
    whole = _fitting(text, names)
    return whole if whole or "/" in text else _fitting(f"*/{text}", names)


def no_hpa(text: str, where: str, known: Iterable[str], otherwise: str) -> str:
    """The error about a text that means none of these HPAs; of a namespace, `shop/*`, it suggests known ones.

    where   which HPAs these are, as `in this recording`;  otherwise   what to say if no known name is similar
    """
    namespace = _namespace(text)
    if namespace is None:
        return f"no HPA {text!r} {where}: {did_you_mean(text, known, otherwise)}"
    namespaces = dict.fromkeys(name.partition("/")[0] for name in known)
    return f"no HPA of the namespace {namespace!r} {where}: {did_you_mean(namespace, namespaces, otherwise)}"


def _namespace(text: str) -> str | None:
    """The namespace if a text means all HPAs of one, as `shop/*`; else None."""
    namespace, _, name = text.partition("/")
    return namespace if name == "*" and namespace and "*" not in namespace else None


def whole_pattern(text: str, meant: Iterable[str]) -> str:
    """The pattern of `namespace/name` that gives the HPAs which a pattern means."""
    return text if _fitting(text, meant) else f"*/{text}"


def _fitting(text: str, names: Iterable[str]) -> list[str]:
    pattern = text.replace("[", "[[]").replace("?", "[?]")  # only `*` is special
    return [name for name in names if fnmatchcase(name, pattern)]

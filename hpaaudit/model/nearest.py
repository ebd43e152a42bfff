"""Suggests known names for a mistyped one."""

from collections.abc import Iterable


def nearest(mistyped: str, names: Iterable[str], *, most: int = 3, cutoff: float = 0.5) -> tuple[str, ...]:
    """The most similar known names, best first; upper and lower case count as equal.

    A name that ends in `/mistyped` comes first: who writes `checkout` means `shop/checkout`.

    cutoff   how similar a name must be, from 0 to 1
    """
    from difflib import get_close_matches

    by_text: dict[str, list[str]] = {}
    for name in names:
        by_text.setdefault(name.casefold(), []).append(name)
    text = mistyped.casefold()
    same_last_part = sorted(other for other in by_text if other.endswith(f"/{text.strip('/*')}"))
    similar = get_close_matches(text, by_text, n=most, cutoff=cutoff)
    texts = dict.fromkeys((*same_last_part, *similar))
    return tuple(name for other in texts for name in by_text[other])[:most]


def did_you_mean(name: str, known_names: Iterable[str], otherwise: str, *, cutoff: float = 0.5) -> str:
    """`did you mean shop/checkout?`, else what to do if no known name is similar."""
    names = nearest(name, known_names, cutoff=cutoff)
    return f"did you mean {', '.join(names)}?" if names else otherwise

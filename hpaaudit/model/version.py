"""The order of resource versions: numbers where a server gives numbers, as every API server does."""

_DIGITS = 19


def version_number(text: str) -> int | None:
    """A resource version as the number that it is; None where it is none, or too long for 64 bits."""
    if not (text.isascii() and text.isdigit() and len(text) <= _DIGITS):
        return None
    number = int(text)
    return number if number < 1 << 63 else None

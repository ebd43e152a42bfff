"""Resource versions as numbers, so that they can be ordered. Every API server uses decimal numbers."""

_DIGITS = 19


def version_number(text: str) -> int | None:
    """A resource version as a number; None if it is not one, or does not fit 64 bits."""
    if not (text.isascii() and text.isdigit() and len(text) <= _DIGITS):
        return None
    number = int(text)
    return number if number < 1 << 63 else None

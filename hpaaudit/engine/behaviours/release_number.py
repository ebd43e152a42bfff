"""A release as numbers."""

Version = tuple[int, int, int]


def parsed(text: str) -> Version:
    """A release as numbers: major, minor, patch."""
    parts = [int(part) for part in text.split(".")]
    return (parts[0], parts[1], parts[2] if len(parts) > 2 else 0)  # noqa: PLR2004 (major, minor, patch)

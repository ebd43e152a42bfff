"""Makes texts of others fit for a page or a picture: nothing that controls it, and no more than can be read."""

from hpaaudit.report.text import printable

MOST = 300
"""So many characters of a name or a message are shown. Kubernetes' names have at most 253."""


def shown(text: str, most: int = MOST) -> str:
    """The text, printable, and cut where it is longer than anybody reads."""
    cut = text if len(text) <= most else f"{text[:most]} ... ({len(text):,} characters)"
    return printable(cut)

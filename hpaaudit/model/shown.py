"""Values that a notebook shows as pictures and as text."""

from importlib import import_module


class Shown:
    """Gives a value the methods that a notebook calls.

    What they return is drawn above all packages, so its module is found by its name and only when it is asked for.
    """

    __slots__ = ()

    def _repr_html_(self) -> str:
        """The value as HTML, which a notebook shows in the cell."""
        html: str = import_module("hpaaudit.flows.notebook").html(self)
        return html


class Printed(Shown):
    """A value that `print` shows as its command does."""

    __slots__ = ()

    def __str__(self) -> str:
        text: str = import_module("hpaaudit.flows.notebook").text(self)
        return text


class Explained(Printed):
    """A value that can be told as text."""

    __slots__ = ()

    def explain(self) -> str:
        """The text that `hpaaudit explain` prints."""
        return str(self)

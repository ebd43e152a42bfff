"""Runs what may be refused, and tells whether it was refused as it must be: by an error of ours."""

from collections.abc import Callable

from hpaaudit.errors import AuditError


def outcome(read: Callable[[], object]) -> str:
    """The text of our error, empty where there is none. Any other exception passes."""
    try:
        read()
    except AuditError as error:
        return str(error)
    return ""

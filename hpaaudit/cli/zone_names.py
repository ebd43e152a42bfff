"""Finds the zone that the user names, or that of this machine."""

from datetime import UTC, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

_OF_THIS_MACHINE = Path("/etc/localtime")


def zone_named(name: str) -> tzinfo:
    """The zone of a name such as `Europe/Berlin`; `local` is that of this machine. Raises ValueError."""
    if name.upper() in ("UTC", "Z"):
        return UTC
    if name == "local":
        if not _OF_THIS_MACHINE.exists():
            return UTC
        with _OF_THIS_MACHINE.open("rb") as file:
            return ZoneInfo.from_file(file)
    try:
        return ZoneInfo(name.removeprefix(":"))
    except (OSError, KeyError, ValueError) as error:
        raise ValueError(f"there is no zone {name!r} here: give one such as Europe/Berlin, local or UTC") from error

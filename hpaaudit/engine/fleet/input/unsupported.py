"""What the kernel does not decide: the object engine does."""

from collections.abc import Callable

from hpaaudit.engine.replay.plan import Plan
from hpaaudit.model.facts import ControllerSeen
from hpaaudit.model.flags import Flags


class Beyond(Exception):
    """Why a recording is not for the kernel."""


class Unreadable(Exception):
    """Something that no API server serves: who it is of must be left out before anything is decided."""


def flags_for_all(plan: Plan, flags: Flags, flags_of: Callable[[ControllerSeen], Flags]) -> Flags:
    """The flags of every controller process of a recording; `flags` where none was seen.

    Raises `Beyond` where they differ, or where what was read of a target cannot be told from columns.
    """
    if plan.unmatched:
        raise Beyond("the controller called a kind unknown")
    found = {flags_of(controller) for controller in plan.controllers} or {flags}
    if len(found) > 1:
        raise Beyond("the controller was started with other flags meanwhile")
    return found.pop()

"""Lists recordings that the kernel cannot decide, so that `controller` decides them one by one."""

from collections.abc import Callable

from hpaaudit.engine.behaviours.release import behaviours_of
from hpaaudit.engine.replay.plan import Plan
from hpaaudit.model.facts import ControllerSeen
from hpaaudit.model.flags import Flags
from hpaaudit.model.hpa import MetricType


class Unsupported(Exception):
    """The kernel does not decide this recording, for the reason in the text."""


class Unreadable(Exception):
    """Something that no API server serves. Its HPA must be left out before anything is decided."""


def flags_for_all(plan: Plan, flags: Flags, flags_of: Callable[[ControllerSeen], Flags]) -> Flags:
    """The flags of all controller processes of a recording; `flags` if none was seen.

    Raises `Unsupported` if they differ, if behaviours of a release older than 1.12 were switched, if the controller
    called the kind of a target unknown, or if a metric has a type that no release knows.
    """
    unknown = sorted({metric.type for metric in plan.metrics} - set(MetricType))
    if unknown:
        raise Unsupported(f"no release has the metric type {', '.join(unknown)}")
    if plan.unmatched:
        raise Unsupported("the controller called a kind unknown")
    distinct = {flags_of(controller) for controller in plan.controllers} or {flags}
    if len(distinct) > 1:
        raise Unsupported("the controller was started with other flags meanwhile")
    only = distinct.pop()
    behaviours = behaviours_of(only)
    if behaviours.forbidden_windows and (only.with_behaviours or only.without_behaviours):
        raise Unsupported("behaviours of a release before 1.12 were switched")
    return only

"""The options of a replay as values, and as the command line that would give them."""

import shlex
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from hpaaudit.model.units import Micros

Warn = Callable[[str], None]
"""Takes a warning, one line of text."""


ShowProgress = Callable[[int, int], None]
"""Is called with how much is done and how much there is in all: reconciles of a replay, lines of an import."""


def show_nothing(_: int, __: int) -> None:
    """Shows no progress."""


def ignore_warning(_: str) -> None:
    """Drops a warning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ControllerOptions:
    """What the user says about the controller. It wins over what was recorded.

    release      a Kubernetes release; None: the recorded one
    flags        flags of kube-controller-manager, by name
    behaviours   single rules or feature gates switched on or off, by name
    declared     which of these, by the names that `assumptions` has, are those of the real controller: such a setting
                 makes no what-if
    """

    release: str | None = None
    flags: Mapping[str, str] = field(default_factory=dict)
    behaviours: Mapping[str, bool] = field(default_factory=dict)
    declared: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Which reconciles the user wants.

    hpas             `namespace/name`; empty: all
    selector         only HPAs whose last labels match; empty: all
    since_us         no earlier reconcile is shown
    until_us         no later reconcile is shown

    What lies outside of these times is decided and compared all the same: it is evidence of what lies inside.
    """

    hpas: Collection[str] = ()
    selector: str = ""
    since_us: Micros | None = None
    until_us: Micros | None = None


AS_RECORDED = ControllerOptions()
"""The user says nothing about the controller."""

EVERYTHING = Scope()
"""All reconciles of a recording."""


def command_line(controller: ControllerOptions, scope: Scope) -> str:
    """The options as a shell command has them, without what was declared; empty if none is given."""
    from hpaaudit.api.times import precise

    told = controller.declared
    options = [("release", None if "release" in told else controller.release)]
    options += [(name, precise(at)) for name, at in (("since", scope.since_us), ("until", scope.until_us)) if at]
    options += [("flag", f"{name}={value}") for name, value in sorted(controller.flags.items()) if name not in told]
    options += [
        ("with" if on else "without", name) for name, on in sorted(controller.behaviours.items()) if name not in told
    ]
    options += [("hpa", key) for key in scope.hpas]
    options += [("selector", scope.selector or None)]
    return shlex.join(word for name, value in options if value is not None for word in (f"--{name}", value))

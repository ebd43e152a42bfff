"""What all metrics of one reconcile share: the scale, its pods, the tolerances of the HPA, flags and behaviours."""

from dataclasses import dataclass

from hpaaudit.api.client_errors import Server
from hpaaudit.api.quantity import approximate_float
from hpaaudit.engine.behaviours.in_force import Behaviours
from hpaaudit.engine.rules.current_replicas import current_replicas
from hpaaudit.engine.rules.tolerance import Tolerance, tolerance_of
from hpaaudit.model.flags import Flags
from hpaaudit.model.hpa import Hpa
from hpaaudit.model.target import Pod, Scale


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricContext:
    """What all metrics of one reconcile share.

    pods       those that the scale's selector matches;  names   their names
    down, up   the tolerance in each direction
    keep_pods  the decision keeps how each metric counted each pod
    """

    namespace: str
    scale: Scale
    pods: tuple[Pod, ...]
    names: frozenset[str]
    down: float
    up: float
    flags: Flags
    behaviours: Behaviours
    keep_pods: bool

    @property
    def current(self) -> int:
        """Current replicas, as `current_replicas` says."""
        return current_replicas(self.scale.spec_replicas, self.scale.status_replicas, self.behaviours)

    @property
    def server(self) -> Server:
        """The API server as the controller's errors name it."""
        return Server(self.flags.api_server, quoted=self.behaviours.quoted_urls)

    @property
    def tolerance(self) -> Tolerance:
        """How far a usage ratio may be from 1, as this release compares it."""
        return tolerance_of(self.down, self.up, self.behaviours)


def tolerances(hpa: Hpa, flags: Flags, behaviours: Behaviours) -> tuple[float, float]:
    """The tolerance on the way down and on the way up: the HPA's own (1.33), else the controller's flag.

    Upstream: `tolerancesForHpa`.
    """
    down = up = flags.tolerance
    if hpa.spec.behavior is not None and behaviours.configurable_tolerance:
        if hpa.spec.behavior.scale_down.tolerance is not None:
            down = approximate_float(hpa.spec.behavior.scale_down.tolerance)
        if hpa.spec.behavior.scale_up.tolerance is not None:
            up = approximate_float(hpa.spec.behavior.scale_up.tolerance)
    return down, up

"""What every metric of a reconcile shares: the scale, its pods, the tolerances of this HPA."""

from dataclasses import dataclass

from hpaaudit.api.answers import Server
from hpaaudit.api.quantity import approximate_float
from hpaaudit.engine.behaviours.table import Rules
from hpaaudit.engine.rules.tolerance import Tolerance, tolerance_of
from hpaaudit.model.flags import Flags
from hpaaudit.model.hpa import Hpa
from hpaaudit.model.target import Pod, Scale


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """What every metric of a reconcile shares: the scale, its pods, the tolerances of this HPA."""

    namespace: str
    scale: Scale
    pods: tuple[Pod, ...]
    names: frozenset[str]
    down: float
    up: float
    flags: Flags
    rules: Rules
    keep_pods: bool

    @property
    def current(self) -> int:
        """Current replicas, as this release understands them."""
        return self.scale.spec_replicas if self.rules.spec_replicas_are_current else self.scale.status_replicas

    @property
    def server(self) -> Server:
        """Where the controller's requests went, as its errors name it."""
        return Server(self.flags.api_server, quoted=self.rules.quoted_urls)

    @property
    def tolerance(self) -> Tolerance:
        """How far a ratio may be from one, as this release compares it."""
        return tolerance_of(self.down, self.up, self.rules)


def tolerances(hpa: Hpa, flags: Flags, rules: Rules) -> tuple[float, float]:
    """The tolerance on the way down and on the way up: the flag's, or the HPA's own (1.33)."""
    down = up = flags.tolerance
    if hpa.spec.behavior is not None and rules.configurable_tolerance:
        if hpa.spec.behavior.scale_down.tolerance is not None:
            down = approximate_float(hpa.spec.behavior.scale_down.tolerance)
        if hpa.spec.behavior.scale_up.tolerance is not None:
            up = approximate_float(hpa.spec.behavior.scale_up.tolerance)
    return down, up

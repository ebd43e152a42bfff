"""What to record, and how often to poll."""

from dataclasses import dataclass

from hpaaudit.model.units import SECOND, Micros

INTERVAL_US = Micros(15 * SECOND)
"""The default of kube-controller-manager's sync period."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What to record.

    namespace     empty for all;  selector  of HPAs, by label;  interval_us  between two polls
    keep_labels   labels of pods that are kept besides those that a selector names
    no_probe      names of custom and external metrics that are not read: a read may cost money
    """

    namespace: str
    selector: str = ""
    interval_us: Micros = INTERVAL_US
    keep_labels: tuple[str, ...] = ()
    no_probe: tuple[str, ...] = ()

    def path(self, base: str, resource: str) -> str:
        """The collection of a resource within the scope; `base` is `/api/v1` or `/apis/group/version`."""
        return f"{base}/namespaces/{self.namespace}/{resource}" if self.namespace else f"{base}/{resource}"

    def covers(self, namespace: str) -> bool:
        """Whether the scope includes a namespace."""
        return self.namespace in ("", namespace)

    @property
    def words(self) -> str:
        """The namespace, to follow a noun."""
        return f" in namespace {self.namespace}" if self.namespace else " in all namespaces"

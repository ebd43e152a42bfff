"""What to look at, and how often."""

from dataclasses import dataclass

from hpaaudit.model.units import SECOND, Micros

INTERVAL_US = Micros(15 * SECOND)
"""The controller's own default period."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """One namespace or, empty, all; HPAs by label selector; polled every `interval_us`.

    keep_labels   of pods, besides those that a selector names
    no_probe      names of custom and external metrics that are not to be read, for a read may cost money
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
        """Whether it looks there."""
        return self.namespace in ("", namespace)

    @property
    def words(self) -> str:
        """Where it looks, to follow a noun."""
        return f" in namespace {self.namespace}" if self.namespace else " in all namespaces"

"""Metrics: requests to the metric APIs, and the values in their answers."""

from dataclasses import dataclass

from hpaaudit.model.units import Micros, Milli


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsRequest:
    """A request to a metric API. Requests that mean the same are equal, however they are spelled.

    api        the group, for example `custom.metrics.k8s.io`; all served versions give the same answer
    resource   `pods` for resource metrics; for custom metrics the resource (`ingresses.networking.k8s.io`,
               `namespaces` for the namespace itself); empty for external
    object     name of the described object, `*` for every pod, empty where the API has none
    metric     empty for resource metrics
    selector   label selector of pods (or of the external series), canonical text, empty without one
    metric_selector   of custom metrics, canonical text
    """

    api: str
    namespace: str
    resource: str
    object: str
    metric: str
    selector: str
    metric_selector: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerUsage:
    """The usage of one container in a PodMetrics, by resource."""

    name: str
    usage: tuple[tuple[str, Milli], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PodSample:
    """One item of a PodMetricsList. A missing timestamp is None, upstream's zero time."""

    pod: str
    timestamp_us: Micros | None
    window_us: Micros
    containers: tuple[ContainerUsage, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricValue:
    """One item of a MetricValueList or of an ExternalMetricValueList.

    `object` names the described object (external: the series' labels as sorted JSON);
    `window_us` is None if the answer has none.
    """

    object: str
    timestamp_us: Micros | None
    window_us: Micros | None
    value: Milli

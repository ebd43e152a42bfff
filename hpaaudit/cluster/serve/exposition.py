"""Writes the recorder's own metrics in the text format of Prometheus."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.registry import Collector

from hpaaudit.cluster.client.telemetry import BUCKETS, Labels, Telemetry, kind_of
from hpaaudit.cluster.observe.observer import Observer
from hpaaudit.cluster.serve.hpa_metrics import hpa_metrics
from hpaaudit.model.recorder_plan import StorageCounts
from hpaaudit.model.units import SECOND

CONTENT_TYPE = CONTENT_TYPE_LATEST
PREFIX = "hpaaudit_"


def exposition(telemetry: Telemetry, observer: Observer | None, storage: StorageCounts) -> bytes:
    """All metrics as text: our own, and those of the process. Without an observer there are fewer."""
    registry = CollectorRegistry(auto_describe=False)
    ProcessCollector(registry=registry)
    seen = (_cached(observer), *_hpas(observer)) if observer else ()
    families = [*_requests(telemetry), *_recorded(storage), *seen]
    text = "Things that are not as they should be now, by reason and source; 0 is well."
    wrong = {
        ("disk", ""): storage.unwritten,
        ("upload", ""): storage.failing,
        **(_open_gaps(observer) if observer else {}),
    }
    registry.register(_Fixed([*families, _gauge("degraded", text, ("reason", "source"), wrong)]))
    return generate_latest(registry)


class _Fixed(Collector):
    """A collector of metric families that exist already."""

    def __init__(self, families: list[Metric]) -> None:
        self.families = families

    def collect(self) -> Iterable[Metric]:
        """The families, unchanged."""
        return self.families


def _requests(telemetry: Telemetry) -> Iterator[Metric]:
    """The metrics of requests, watches and gaps."""
    text = "Watches that ended or broke and were taken up again."
    yield _counter("watch_restarts", text, ("resource", "reason"), telemetry.restarts)
    yield _counter("relists", "Whole collections that were begun to be read.", ("resource",), telemetry.relists)
    yield _counter("events", "Events of watches, bookmarks among them.", ("resource",), telemetry.events)
    seconds: dict[Labels, float] = {(source,): micros / SECOND for source, micros in telemetry.gap_us.items()}
    yield _counter("gap_seconds", "Seconds in which nobody looked, as recorded.", ("source",), seconds)
    family = HistogramMetricFamily(
        f"{PREFIX}api_request_duration_seconds",
        "Seconds until an answer, or until a watch stood; code 0 is no answer.",
        labels=("resource", "verb", "code"),
    )
    for labels, histogram in telemetry.durations.items():
        total, buckets = 0, []
        for edge, count in zip((*map(str, BUCKETS), "+Inf"), histogram.counts, strict=True):
            total += count
            buckets.append((edge, float(total)))
        family.add_metric(labels, buckets, histogram.seconds)
    yield family
    text = "When an answer of this resource, or an event of its watch, last came, in seconds since 1970."
    succeeded: dict[Labels, float] = {(source,): at_us / SECOND for source, at_us in telemetry.succeeded_us.items()}
    yield _gauge("last_success_timestamp_seconds", text, ("source",), succeeded)
    if telemetry.offset_us is not None:
        offset: dict[Labels, float] = {("apiserver",): telemetry.offset_us / SECOND}
        yield _gauge("clock_skew_seconds", "Clock of the peer minus our own.", ("peer",), offset)


def _recorded(storage: StorageCounts) -> Iterator[Metric]:
    """The metrics of segments, the write-ahead log, and uploads."""
    yield _gauge("wal_bytes", "Bytes of the write-ahead log.", (), {(): storage.wal_bytes})
    yield _counter("segments_published", "Segments that were made whole.", (), {(): storage.segments})
    yield _counter("upload_failures", "Uploads that failed and are tried again.", (), {(): storage.upload_failures})


def _cached(observer: Observer) -> Metric:
    """The metrics of the stores: how many objects each has."""
    objects: dict[Labels, float] = {
        ("horizontalpodautoscalers.autoscaling",): len(observer.hpas.versions),
        ("pods",): len(observer.pods.versions),
    }
    for (group, resource), workloads in observer.targets.workloads.items():
        objects[f"{resource}.{group}" if group else resource,] = len(workloads.states)
    return _gauge("cache_objects", "Objects that are known now.", ("resource",), objects)


def _hpas(observer: Observer) -> Iterator[Metric]:
    """The metrics of HPAs, of their targets, and of their controller."""
    metrics = hpa_metrics(observer)
    text = "HPAs whose status says this: what limits them, or why they do not scale."
    yield _gauge("hpas", text, ("condition", "reason"), metrics.by_reason)
    text = "When a condition that limits an HPA, or keeps it from scaling, took this reason; at most 500."
    labels = ("namespace", "hpa", "condition", "reason")
    yield _gauge("hpa_condition_since_timestamp_seconds", text, labels, metrics.since)
    text = "Conditions beyond these 500; the longest ones are named."
    yield _gauge("hpa_conditions_left_out", text, (), {(): metrics.left_out})
    text = "When the replicas of a target were last written by another than the HPA controller; at most 500 targets."
    yield _gauge("foreign_write_timestamp_seconds", text, ("namespace", "target", "manager"), metrics.foreign)
    text = "Writes of replicas that were not the HPA controller's."
    yield _counter("foreign_writes", text, (), {(): metrics.foreign_writes})
    text = "Statuses of HPAs that differed from the one before."
    yield _counter("status_changes", text, (), {(): metrics.status_changes})
    text = "Answers of metrics APIs with other values than the answer before."
    yield _counter("metric_changes", text, (), {(): metrics.metric_changes})
    text = "When kube-controller-manager last renewed its Lease, by its own clock."
    yield _gauge("controller_lease_renewed_timestamp_seconds", text, (), metrics.renewed)


def _open_gaps(observer: Observer) -> Mapping[Labels, float]:
    """The number of open gaps, by resource and by whether the watch is forbidden or failing."""
    refused = {watch.prefix for watch in observer.watches.reflectors if watch.forbidden}
    return Counter(
        ("forbidden" if prefix in refused else "failing", kind_of(prefix.partition("?")[0])[0])
        for prefix in observer.gaps.open
    )


def _counter(name: str, text: str, labels: Labels, values: Mapping[Labels, float]) -> Metric:
    return _filled(CounterMetricFamily(PREFIX + name, text, labels=labels), values)


def _gauge(name: str, text: str, labels: Labels, values: Mapping[Labels, float]) -> Metric:
    return _filled(GaugeMetricFamily(PREFIX + name, text, labels=labels), values)


def _filled(family: CounterMetricFamily | GaugeMetricFamily, values: Mapping[Labels, float]) -> Metric:
    for labels, value in values.items():
        family.add_metric(labels, value)
    return family

"""A metric that is measured once a minute: its status changes once a minute, however often the HPA is reconciled."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from hpaaudit.flows.prepare import Prepared, prepare, prepare_compiled
from hpaaudit.model.facts import Fact, ResourceMetricsRead
from hpaaudit.model.metrics import ContainerUsage, MetricsRequest, PodSample
from hpaaudit.model.units import SECOND, Micros, Milli
from hpaaudit.recording.reading.recording import open_recording
from tests.engine.recorded_facts import hpa_seen
from tests.engine.scenes import at, cpu, hpa_of
from tests.fleet.chance import write

REQUEST = MetricsRequest(
    api="metrics.k8s.io", namespace="shop", resource="pods", object="", metric="", selector="", metric_selector=""
)


def _facts(sample_every: int) -> Iterator[Fact]:
    """Twenty minutes, with an answer every 15 s and a new status every minute."""
    seen = hpa_seen(at(0), hpa_of(cpu(50)))
    for second in range(0, 1200, 15):
        measured = Micros(at(second) // (sample_every * SECOND) * sample_every * SECOND)
        usage = ContainerUsage(name="app", usage=(("cpu", Milli(100 + second // 60)),))
        sample = PodSample(pod="web-0", timestamp_us=measured, window_us=Micros(15 * SECOND), containers=(usage,))
        yield ResourceMetricsRead(
            at_us=at(second), took_us=Micros(0), request=REQUEST, path="/apis/metrics.k8s.io/v1beta1/pods", status=200,
            error="", by="", samples=(sample,),
        )  # fmt: skip
        if second % 60 == 0:
            status = json.dumps({"currentReplicas": 3, "desiredReplicas": 3, "observedGeneration": second + 1})
            yield replace(seen, at_us=Micros(at(second) + SECOND), status_json=status)


@pytest.mark.parametrize(("sample_every", "period", "source"), [(60, 15, "default"), (15, 60, "inferred")])
@pytest.mark.parametrize("prepared_by", [prepare, prepare_compiled])
def test_the_default_is_kept_where_new_samples_come_as_seldom_as_statuses(
    sample_every: int, period: int, source: str, prepared_by: Callable[..., Prepared], tmp_path: Path
) -> None:
    facts = list(_facts(sample_every))
    write(tmp_path / "recording", facts, len(facts) + 1)
    prepared = prepared_by(open_recording(tmp_path / "recording"))
    [said] = [setting for setting in prepared.assumptions if setting.key == "sync-period"]
    assert (prepared.plan.periods.common_us, said.value, said.source) == (period * SECOND, f"{period}s", source)

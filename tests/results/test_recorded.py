"""Samples and pod states are asked where they lie: views of a results file on the recording's own Parquet."""

from pathlib import Path

from hpaaudit.flows.replay import replay
from hpaaudit.model.facts import PodGone, PodSeen, ResourceMetricsRead
from hpaaudit.recording.read import open_recording

ROOT = Path(__file__).parents[2]
RECORDING = ROOT / "recordings" / "metrics-down"


def test_every_state_of_a_pod_is_a_row(tmp_path: Path) -> None:
    seen = [fact for fact in open_recording(RECORDING).facts() if isinstance(fact, PodSeen | PodGone)]
    with replay(RECORDING, into=tmp_path / "r.duckdb") as results:
        rows = results.sql("select epoch_us(observed_at), gone from pod_states").fetchall()
    assert rows == [(fact.at_us, isinstance(fact, PodGone)) for fact in seen]


def test_every_new_sample_is_a_row_with_the_read_that_brought_it(tmp_path: Path) -> None:
    reads = [fact for fact in open_recording(RECORDING).facts() if isinstance(fact, ResourceMetricsRead)]
    new = {
        (sample.pod, container.name, sample.timestamp_us, dict(container.usage)["cpu"])
        for fact in reads
        for sample in fact.samples or ()
        for container in sample.containers
    }
    with replay(RECORDING, into=tmp_path / "r.duckdb") as results:
        found = results.sql(
            "select pod, container, epoch_us(sample_ts), cpu_milli, epoch_us(observed_at)"
            " from metric_samples where not gone"
        ).fetchall()
    assert {row[:4] for row in found} == new
    assert {row[4] for row in found} <= {fact.at_us for fact in reads}


def test_a_recording_without_custom_metrics_has_an_empty_view_of_them(tmp_path: Path) -> None:
    with replay(RECORDING, into=tmp_path / "r.duckdb") as results:
        assert results.sql("select count(*) from metric_values").fetchall() == [(0,)]

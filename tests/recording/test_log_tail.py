"""A recording whose last facts are in a log replays like the sealed one, before and after it is sealed."""

from pathlib import Path

import pytest

from hpaaudit.flows.replay import replay
from hpaaudit.flows.source import open_source
from hpaaudit.model.facts import ResourceMetricsRead
from hpaaudit.model.units import Micros
from hpaaudit.recording.reading.recording import open_recording
from hpaaudit.recording.recorder.recorder_writer import RecorderWriter
from hpaaudit.recording.recorder.writer_limits import Limits
from hpaaudit.results.read import Results

RECORDING = Path(__file__).parents[2] / "recordings" / "scaled-by-hand"
RELATIONS = (
    "reconciles",
    "scale_events",
    "hpas",
    "pods",
    "k8s_events",
    "scale_states",
    "metric_samples",
    "metric_values",
    "pod_states",
)


def open_writer(folder: Path) -> RecorderWriter:
    """Goes on with a recording, or begins it."""
    return RecorderWriter(folder, cluster="here", now_us=Micros(0), note=[].append, limits=Limits(ballast_bytes=0))


@pytest.fixture(params=[0, 0.5, 0.9])
def growing(request: pytest.FixtureRequest, tmp_path: Path) -> RecorderWriter:
    """Gives a real recording, the last part of whose facts stands in the log."""
    facts = list(open_recording(RECORDING).facts())
    sealed = int(len(facts) * request.param)
    growing = open_writer(tmp_path / "growing")
    for number, fact in enumerate(facts):
        if number == sealed and sealed:
            growing.seal(Micros(0))
        growing.add(fact)
    growing.flush(Micros(0))
    return growing


def rows(results: Results, relation: str) -> list[tuple[object, ...]]:
    """All of a relation, without what names the replay."""
    columns = [name for name in results.sql(f"from {relation} limit 0").columns if name != "replay_id"]
    listed = ", ".join(f'"{name}"' for name in columns)
    return results.sql(f"select {listed} from {relation} order by all").fetchall()  # noqa: S608 our own names


def test_a_log_replays_as_its_segment(growing: RecorderWriter, tmp_path: Path) -> None:
    with replay(growing.folder) as results:
        rows_by_relation = {relation: rows(results, relation) for relation in RELATIONS}
    assert all(rows_by_relation[relation] for relation in RELATIONS if relation != "metric_values")
    growing.close()
    # The views look into the recording's own files: what was in the log is not told twice when it is in one.
    with open_source(growing.folder / "results.duckdb") as results:
        assert {relation: rows(results, relation) for relation in RELATIONS} == rows_by_relation
    with replay(growing.folder, into=tmp_path / "sealed.duckdb") as results:
        assert {relation: rows(results, relation) for relation in RELATIONS} == rows_by_relation
    with replay(RECORDING, into=tmp_path / "original.duckdb") as results:
        # But for samples, which every segment tells anew.
        assert {relation: rows(results, relation) for relation in RELATIONS[:-3]} == {
            relation: rows_by_relation[relation] for relation in RELATIONS[:-3]
        }


def test_a_recording_that_grew_is_replayed_anew(growing: RecorderWriter) -> None:
    with open_source(growing.folder) as results:
        before = results.manifest_sha256
    reads = (fact for fact in open_recording(RECORDING).facts() if isinstance(fact, ResourceMetricsRead))
    growing.add(next(reads))
    growing.flush(Micros(0))
    with open_source(growing.folder) as results:
        assert results.manifest_sha256 != before
    growing.close()

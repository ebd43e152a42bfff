"""A fleet's recording replayed by the compiled rules leaves what a replay one by one leaves."""

from collections.abc import Iterable
from pathlib import Path

import pytest

import hpaaudit
from hpaaudit.flows import fleet as flow
from hpaaudit.flows.decide_again import Again, CompiledRules
from hpaaudit.flows.prepare import prepare_compiled
from hpaaudit.model.facts import Gap, HpaSeen
from hpaaudit.model.fleet_columns import Slice, numbers
from hpaaudit.model.units import SECOND, Micros
from hpaaudit.recording.reading.recording import open_recording
from hpaaudit.recording.writing.writer import Writer
from hpaaudit.results.read import Results
from tests.bench import fleet, outside
from tests.fleet.both import OF_PODS, TEXTS
from tests.fleet.chance import write
from tests.fleet.outside import begun

HPAS, HOURS, SEED = 12, 0.5, 3
PERIOD_US = 15 * SECOND

SAME = (
    "reconciles", "metric_proposals", "predicted_writes", "scale_events", "scale_event_matches", "divergences", "hpas",
    "hpa_specs", "hpa_status", "hpa_conditions", "hpa_status_metrics", "findings",
)  # fmt: skip


@pytest.fixture(scope="module", params=["by lines", "by statuses", "from the middle on"])
def recording(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Half an hour of twelve HPAs, in several segments: reconciles told by lines, or only by what they published.

    From the middle on: every HPA has a status already when it is first seen, as in every recording of a live cluster.
    """
    folder = tmp_path_factory.mktemp("fleet")
    fleet.write(folder / "recording", hpas=HPAS, hours=HOURS, seed=SEED, budget=200_000)
    if request.param == "by lines":
        return folder / "recording"
    outside.write(folder / "recording", folder / "seen", rows=1500)
    if request.param == "by statuses":
        return folder / "seen"
    facts = list(open_recording(folder / "seen").facts())
    write(folder / "middle", list(begun(facts, len(facts) // 3)), rows=1500)
    return folder / "middle"


@pytest.fixture(scope="module")
def results(recording: Path) -> Results:
    """The results of the compiled rules."""
    return hpaaudit.replay(recording, into=recording.with_name("compiled.duckdb"), detail="numbers")


def _rows(results: Results, table: str) -> list[dict[str, object]]:
    rows = results.rows(f"from {table}")
    return sorted(
        ({name: row[name] for name in row.keys() - TEXTS} for row in rows if row.get("pattern") not in OF_PODS),
        key=lambda row: repr(sorted(row.items(), key=repr)),
    )


def test_every_relation_is_the_same(recording: Path, results: Results) -> None:
    with hpaaudit.replay(recording, into=recording.with_name("one-by-one.duckdb"), detail="moved") as others:
        assert len(list((recording / "segments").iterdir())) > 1
        begin, end = results.span
        assert abs(len(_rows(results, "reconciles")) - HPAS * (end - begin) // PERIOD_US) <= 2 * HPAS
        for table in SAME:
            assert (table, _rows(results, table)) == (table, _rows(others, table))


def test_hpas_are_decided_alone_as_among_all(recording: Path, results: Results) -> None:
    """Only what their namespaces hold is read then, and kept for the next settings."""
    prepared = prepare_compiled(open_recording(recording))
    asked = "select * from reconciles where hpa_uid = $uid"
    for hpa in results.rows("from hpas order by name limit 3"):
        key = f"{hpa['namespace']}/{hpa['name']}"
        parts = list(flow.slices_of(prepared, [hpa["namespace"]]))
        assert 0 < _samples(parts) < _samples(flow.slices_of(prepared))
        rules = CompiledRules()
        for _ in range(2):
            decided = rules(prepared, [key])
            assert decided is not None
            rows = results.rows(asked, uid=hpa["hpa_uid"])
            assert len(rows) > 1
            for row in rows:
                reasons = " ".join(filter(None, (row["able_reason"], row["active_reason"])))
                again = Again(row["desired"], row["band_lo"], row["band_hi"], reasons)
                assert (row["reconcile_id"], decided.get(row["reconcile_id"])) == (row["reconcile_id"], again)


def _samples(parts: Iterable[Slice]) -> int:
    """How many samples the slices hold."""
    return sum(len(numbers(part.tables["samples"], "seq").values) for part in parts if "samples" in part.tables)


def test_what_it_kept_is_said(results: Results) -> None:
    assert results.detail == "numbers"
    assert _rows(results, "decision_steps") == []


def test_explain_makes_the_steps_again(recording: Path, results: Results) -> None:
    moved = results.rows(
        "select namespace || '/' || name as hpa, epoch_us(ts) as at from reconciles where action <> 'hold'"
    )
    with hpaaudit.replay(recording, into=recording.with_name("all.duckdb"), detail="all") as others:
        for row in moved[:: max(len(moved) // 12, 1)]:
            ours = hpaaudit.explain(results.path, row["hpa"], at=row["at"])
            theirs = hpaaudit.explain(others.path, row["hpa"], at=row["at"])
            assert ours.steps
            assert (ours.steps, ours.pods) == (theirs.steps, theirs.pods)


def test_some_hpas_and_some_time_are_chosen_likewise(recording: Path, results: Results) -> None:
    begin, end = results.span
    middle = (begin + end) // 2
    key = results.rows("select min(namespace || '/' || name) as hpa from hpas")[0]["hpa"]
    chosen = {"hpas": (key,), "since": middle - 300_000_000, "until": middle}
    with (
        hpaaudit.replay(recording, into=recording.with_name("a.duckdb"), detail="numbers", **chosen) as ours,
        hpaaudit.replay(recording, into=recording.with_name("b.duckdb"), detail="moved", **chosen) as theirs,
    ):
        assert _rows(ours, "reconciles")
        assert _rows(ours, "reconciles") == _rows(theirs, "reconciles")


def test_without_numba_it_is_decided_one_by_one_and_said_once_where_that_takes_long(
    recording: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flow, "installed", lambda: False)
    monkeypatch.setattr("hpaaudit.flows.replay.PATIENCE_SECONDS", 0.1)
    lines: list[str] = []
    with hpaaudit.replay(recording, into=recording.with_name("plain.duckdb"), warn=lines.append) as replayed_results:
        assert replayed_results.detail == "moved"
    assert len(lines) == 1
    assert "pip install '.[fast]'" in lines[0]


def test_what_is_beyond_the_kernel_is_decided_one_by_one_and_said(tmp_path: Path) -> None:
    lines: list[str] = []
    folder = tmp_path / "shared-pods"
    ambiguous = Path(__file__).parents[1] / "conformance" / "1.36" / "several-100-0001.capture.jsonl.gz"
    hpaaudit.import_capture([ambiguous], into=folder)
    with hpaaudit.replay(folder, detail="numbers", warn=lines.append) as replayed_results:
        assert _rows(replayed_results, "reconciles")
    assert any("one by one" in line for line in lines)


def test_compiled_code_lies_in_the_users_cache_where_the_installation_is_not_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("os.access", lambda *_: False)
    assert flow.cache_folder().parent == tmp_path / "hpaaudit" / "compiled"


@pytest.mark.parametrize(
    ("seconds", "prefix"), [(14, "*"), (16, "*"), (200, "*"), (200, "one"), (14, "one"), (200, "nobody")]
)
def test_after_a_gap_the_kernel_knows_as_little_as_the_rules_one_by_one(
    seconds: int, prefix: str, tmp_path: Path
) -> None:
    fleet.write(tmp_path / "fleet", hpas=2, hours=0.1, seed=SEED)
    outside.write(tmp_path / "fleet", tmp_path / "seen", rows=1500)
    facts = list(open_recording(tmp_path / "seen").facts())
    middle = facts[len(facts) // 2].at_us
    if prefix != "*":
        one = next(fact for fact in facts if isinstance(fact, HpaSeen))
        base = f"/apis/autoscaling/v2/namespaces/{one.namespace}/horizontalpodautoscalers"
        prefix = f"{base}/{one.name if prefix == 'one' else 'nobody'}"
    gap = Gap(at_us=middle, until_us=Micros(middle + seconds * SECOND), prefix=prefix, cause="it died")
    with Writer(tmp_path / "gap", source="record", started_us=facts[0].at_us) as writer:
        for fact in (*facts[: len(facts) // 2], gap, *facts[len(facts) // 2 :]):
            writer.add(fact)
    lines: list[str] = []
    with (
        hpaaudit.replay(tmp_path / "gap", into=tmp_path / "a.duckdb", detail="numbers", warn=lines.append) as ours,
        hpaaudit.replay(tmp_path / "gap", into=tmp_path / "b.duckdb", detail="moved") as theirs,
    ):
        for table in ("reconciles", "coverage_gaps", "divergences"):
            assert (table, _rows(ours, table)) == (table, _rows(theirs, table))
    assert not [line for line in lines if "one by one" in line]

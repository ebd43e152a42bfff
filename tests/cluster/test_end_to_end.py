"""A whole incident on a real cluster: recorded, replayed, and nothing is left unexplained.

Beside it stands what the cluster itself knows: replayed from that, every decision is the controller's own.
"""

import json
from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from hpaaudit.api.times import duration, micros
from hpaaudit.flows.importing import import_capture
from hpaaudit.flows.replay import replay
from hpaaudit.model.facts import Fact, ScaleWritten, StatusWritten
from hpaaudit.model.units import SECOND
from hpaaudit.recording.reading.recording import open_recording
from hpaaudit.results.read import Results, open_results
from tests.cluster import capture, incident
from tests.cluster.conftest import require_programs
from tests.cluster.incident import Incident
from tests.cluster.recorder import run
from tests.conformance.expected import settled

pytestmark = pytest.mark.alone
TIMES = ("lastTransitionTime", "lastScaleTime")
BY_HAND = {"checkout": {"external_write.manual": 1}}
LEFT_OUT = "not_run.controller_restart"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Incident:
    """The incident, recorded."""
    require_programs()
    return incident.play(tmp_path_factory.mktemp("incident"))


@pytest.fixture(scope="module")
def assumed(played: Incident) -> Iterator[Results]:
    """The recording, replayed before anybody said how its controller was started."""
    with replay(played.recording, into=played.recording.with_name("assumed.duckdb")) as results:
        yield results


@pytest.fixture(scope="module")
def replayed(played: Incident, assumed: Results) -> Iterator[Results]:  # noqa: ARG001 (it comes before)
    """The recording, replayed by the real command, with the flags that this controller was started with."""
    completed = run("replay", str(played.recording), *incident.DECLARED)
    assert (completed.returncode, completed.stderr) == (0, "")
    with open_results(played.recording / "results.duckdb") as results:
        yield results


@pytest.fixture(scope="module")
def truth(played: Incident) -> Path:
    """A recording of what the cluster knows: every answer that the controller got, every write, every reconcile."""
    lines = played.cluster.with_name("truth.jsonl")
    lines.write_text("".join(json.dumps(line) + "\n" for line in capture.lines(played.cluster)))
    import_capture([lines], into=lines.with_suffix(""))
    return lines.with_suffix("")


@pytest.fixture(scope="module")
def anew(truth: Path) -> Iterator[Results]:
    """The truth, replayed."""
    with replay(truth) as results:
        yield results


def rows(results: Results, sql: str) -> list[tuple[Any, ...]]:
    """The answer to a question."""
    return results.sql(sql).fetchall()


def classes(results: Results) -> dict[str, dict[str, int]]:
    """How many reconciles of each HPA are divergent, by class."""
    counts_by_hpa: dict[str, dict[str, int]] = defaultdict(dict)
    counted = "select name, class, count(*) from reconciles where verdict = 'divergent' group by all"
    for name, kind, count in rows(results, counted):
        counts_by_hpa[name][kind] = count
    return dict(counts_by_hpa)


# What was recorded


def test_the_recorder_sees_all_of_it_and_ends_well(played: Incident, replayed: Results) -> None:
    assert played.code == 0, played.output
    assert played.output.endswith(f"recorded {played.recording}\n")
    assert rows(replayed, "from coverage_gaps") == []


def test_a_flag_that_no_api_tells_is_read_off_what_the_controller_did(assumed: Results) -> None:
    """Nobody usually gives this flag that value. Which one it is within a sync period decides nothing."""
    found = rows(assumed, "select distinct alternative from sensitivity where key = 'downscale-stabilization'")
    lengths = [duration(value) for (value,) in found]
    true, period_us = (
        duration(incident.PACE["horizontal-pod-autoscaler-downscale-stabilization"]),
        incident.PERIOD_SECONDS * SECOND,
    )
    assert min(lengths) - period_us < true < max(lengths) + period_us, found
    assert rows(assumed, "from reconciles where class = 'unexplained'") == []


def test_nothing_is_unexplained(replayed: Results) -> None:
    """The only differences are the one that somebody made by hand, and what the restart of the controller left out."""
    seen = classes(replayed)
    assert all(kinds.pop(LEFT_OUT, 0) <= 2 for kinds in seen.values())
    assert {name: kinds for name, kinds in seen.items() if kinds} == BY_HAND
    verdicts = dict(rows(replayed, "select verdict, count(*) from reconciles group by 1"))
    assert verdicts.pop("match") + verdicts.pop("divergent") > 300
    # Which side of a window's edge a reconcile stood on cannot always be told, nor what came between two polls.
    undecidable = (
        "select name, ts, desired, decided, actual, class, missing_input from reconciles where verdict = 'undecidable'"
    )
    assert set(verdicts) <= {"skew"}, rows(replayed, undecidable)
    assert verdicts.get("skew", 0) < 15


def test_what_a_restart_left_out_did_not_take_place(replayed: Results, anew: Results) -> None:
    """The cluster knows of no reconcile of that HPA within half a sync period."""
    took_place: dict[str, list[datetime]] = defaultdict(list)
    for name, at in rows(anew, "select name, ts from reconciles"):
        took_place[name].append(at)
    half = timedelta(seconds=incident.PERIOD_SECONDS / 2)
    for name, at, kind in rows(replayed, "select name, ts, class from reconciles"):
        if kind == LEFT_OUT:
            assert not [other for other in took_place[name] if abs(other - at) < half], (name, at)


def test_the_hand_made_write_is_found_with_its_writer(replayed: Results) -> None:
    foreign = "select name, to_replicas, writer_class, writer_name, evidence_level from scale_events "
    foreign += "where source = 'actual' and writer_class <> 'hpa'"
    assert rows(replayed, foreign) == [("checkout", 2, "kubectl", "kubectl", "managed_fields")]


def test_every_kind_of_metric_scaled_up_and_down(replayed: Results) -> None:
    """The story was told: no HPA sat still, the metrics failed, and a second process took over."""
    moved = "select name, bool_or(to_replicas > from_replicas), bool_or(to_replicas < from_replicas) from scale_events "
    moved += "where source = 'actual' and writer_class = 'hpa' group by 1 order by 1"
    assert rows(replayed, moved) == [(name, True, True) for name in sorted(incident.WORKLOADS)]
    types = rows(replayed, "select distinct metric_type from metric_proposals order by 1")
    assert types == [("ContainerResource",), ("External",), ("Object",), ("Pods",), ("Resource",)]
    failed = (
        "select distinct name from metric_proposals where invalid_code = 'metric.invalid.api_unavailable' order by 1"
    )
    assert rows(replayed, failed) == [("checkout",), ("mixed",), ("sidecar",), ("worker",)]
    assert rows(replayed, "select count(distinct holder) from controller_epochs") == [(2,)]


# What the cluster knows


def test_every_decision_is_the_controllers_own(anew: Results) -> None:
    """No tolerance: a match everywhere, but for what was done by hand."""
    assert classes(anew) == BY_HAND
    verdicts = dict(rows(anew, "select verdict, count(*) from reconciles group by 1"))
    assert set(verdicts) == {"match", "divergent"}
    assert verdicts["match"] > 300


def test_every_scale_is_written_as_the_controller_wrote_it(anew: Results, truth: Path) -> None:
    """The same numbers in the same order, conflicts with their next try included."""
    written: dict[str, list[tuple[int | None, int]]] = defaultdict(list)
    for fact in facts(truth):
        if isinstance(fact, ScaleWritten) and fact.by == capture.CONTROLLER:
            written[fact.target.name].append((fact.sent, fact.status))
    predicted: dict[str, list[tuple[int | None, int]]] = defaultdict(list)
    for name, *write in rows(anew, "select name, to_replicas, http_status from predicted_writes order by ts, seq"):
        predicted[name].append((write[0], write[1]))
    assert predicted == written


def test_every_status_is_written_as_the_controller_wrote_it(anew: Results, truth: Path) -> None:
    """Every field and every message; times to the second, in which a condition is set before its status is sent."""
    written: dict[str, list[Any]] = defaultdict(list)
    for fact in facts(truth):
        if isinstance(fact, StatusWritten) and fact.by == capture.CONTROLLER:
            written[fact.name].append(json.loads(fact.status_json))
    predicted: dict[str, list[Any]] = defaultdict(list)
    for name, status in rows(anew, "select name, status from predicted_statuses order by ts, reconcile_id"):
        predicted[name].append(json.loads(status))
    for name, statuses in written.items():
        pairs = list(zip(statuses, predicted[name], strict=True))
        assert [(ours, theirs) for theirs, ours in pairs if timeless(ours) != timeless(theirs)] == [], name
        apart = [abs(a - b) for theirs, ours in pairs for a, b in zip(times(ours), times(theirs), strict=True)]
        assert max(apart) <= SECOND, name
    assert set(written) == set(incident.WORKLOADS)


def facts(recording: Path) -> Iterator[Fact]:
    """Everything in a recording."""
    return open_recording(recording).facts()


def timeless(status: Any) -> Any:
    """A status without times, and without what upstream makes by chance."""
    if isinstance(status, dict):
        return {key: timeless(value) for key, value in status.items() if key not in TIMES}
    if isinstance(status, list):
        return [timeless(value) for value in status]
    return settled(status)


def times(status: Any) -> list[int]:
    """The times of a status, each at its place."""
    if isinstance(status, dict):
        return [
            at
            for key, value in sorted(status.items())
            for at in ([int(micros(value))] if key in TIMES else times(value))
        ]
    return [at for value in status for at in times(value)] if isinstance(status, list) else []

"""Each recording says its point on its first screen, and its questions count every reconcile."""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from hpaaudit.flows.query import account, query
from hpaaudit.flows.replay import replay
from hpaaudit.flows.source import open_file
from hpaaudit.report.replay import clock_of, replay_text
from hpaaudit.report.verdict import verdict
from hpaaudit.results.account_reconcile import reconcile_accounts
from hpaaudit.results.hpa_columns import hpa_columns
from tests.recordings.kept import RECORDINGS

POINTS = {
    "1.1-forbidden-window": "The forbidden window after the HPA's last scale held a scale-down for 3m 00s, in 6",
    "1.4-sample-missing": "The forbidden window after the HPA's last scale held a scale-up for at least 3m 00s, in 7",
    "1.7-first-error": "One metric failed, and until 1.14 that keeps the others from scaling, for 4m 00s",
    "1.10-unready-pods-multiplied": (
        "Between 14:11:30Z and 14:15:30Z queue_length raised 4 to 16 in 2 steps, pods that were not ready included"
    ),
    "1.15-pending-pods": "Pods that were not measured counted as busy and stopped a scale-down for 7m 00s",
    "1.20-two-windows": (
        "The window that delays a scale-up scaled down, as it does up to 1.20, 6 -> 3 at 14:09:15Z, and held the "
        "scale-up for 2m 00s, in 8 reconciles"
    ),
    "capped-by-policy": "Admission changed the number of 17 writes of the HPA, first at 11:25:35Z.",
    "controller-down": (
        "No controller ran from 11:25:42Z until 11:30:50Z: its Lease had run out. 21 reconciles did not take place."
    ),
    "gitops-loop": (
        "Between 23:09:06Z and 23:15:16Z argocd-application-controller and the HPA overwrote each other, 3 and 3 times"
    ),
    "load-step": "Earlier recommendations, not load, held a scale-down for 4m 45s, in 19 reconciles",
    "metrics-down": (
        "Between 15:01:22Z and 15:06:08Z the metrics API failed in 20 reconciles, "
        "so that no metric was usable and nothing could scale."
    ),
    "one-metric-fails": "One metric failed, and that alone kept the others from scaling down, for 5m 01s, in 20",
    "queue-to-zero": (
        "The HPA scaled to 0 at 19:21:25Z, and to 4 after 3m 15s, when queue_depth asked for pods again."
    ),
    "quota": (
        "Between 11:35:37Z and 11:40:53Z the target was scaled to 6, and only 4 pods were made: quota small refused "
        "more; 11 pod-minutes missing."
    ),
    "rate-limited": (
        "The metrics asked for more than the scale-up policies allowed for 5m 16s, in 21 reconciles between 11:11:20Z "
        "and 11:16:21Z; 18 pod-minutes missing."
    ),
    "scaled-by-hand": (
        "At 15:04:31Z kubectl wrote 6 -> 2; the HPA wrote 4 after 8s, and had 6 again after 23s; 1 pod-minute missing."
    ),
    "two-hpas": (
        "Another HPA selected the same pods, so that this one could not scale, for 4m 45s, in 19 reconciles between "
        "11:37:52Z and 11:42:22Z."
    ),
    "unready-on-the-way-up": "A scale-up was held for 2m 30s because up to 5 of 7 pods were not ready or not measured",
}
NOT_COMPARED = {"1.4-sample-missing": 2, "capped-by-policy": 1, "controller-down": 21}
"""Reconciles that no decision of a controller can be held against.

In 1.4 two reconciles wrote a status in the same moment as the next one, which hid it. Of the last write that a policy
changed nobody sees what became of it. Without a controller none took place.
"""

NEVER_FAILED = {"queue-to-zero"}
"""Its one metric needs no pods. In the others the first pods had no sample yet, or a metric failed later."""

Replayed = Callable[..., Path]


@pytest.fixture(scope="module")
def results_of(tmp_path_factory: pytest.TempPathFactory) -> Replayed:
    """Replays a recording with this detail, once for all tests; the path of its results."""

    @cache
    def replayed(name: str, detail: str = "moved") -> Path:
        path = tmp_path_factory.mktemp("results") / "results.duckdb"
        replay(RECORDINGS[name], into=path, detail=detail).close()
        return path

    return replayed


@pytest.mark.parametrize("name", RECORDINGS)
def test_a_recording_says_its_point_on_its_first_screen(name: str, results_of: Replayed) -> None:
    with open_file(results_of(name)) as results:
        outcome = account(results)
    hpa, clock = outcome.hpas[0], clock_of(outcome)
    assert POINTS[name] in verdict(hpa, clock)
    assert POINTS[name].split()[0] in "\n".join(replay_text(outcome).splitlines()[:12])


@pytest.mark.parametrize("name", RECORDINGS)
def test_a_write_by_hand_does_not_count_against_the_hpa(name: str, results_of: Replayed) -> None:
    """All controllers decided as the replay does, whatever anybody wrote."""
    with open_file(results_of(name)) as results:
        outcome = account(results)
    for hpa in outcome.hpas:
        assert hpa.agree == hpa.comparable == hpa.reconciles - NOT_COMPARED.get(name, 0)
        assert f"agree in {hpa.agree} of {hpa.agree} (100.0 %)" in replay_text(outcome)


@pytest.mark.parametrize("detail", ["numbers", "moved", "pods", "all"])
@pytest.mark.parametrize("name", RECORDINGS)
def test_all_pods_that_did_not_count_are_counted(name: str, detail: str, results_of: Replayed) -> None:
    path = results_of(name, detail)
    with open_file(path) as results:
        (row,) = results.rows("select sum(unready_pods + missing_pods + ignored_pods) as pods from metric_proposals")
    with query(path, "which_pods_did_not_count") as answer:
        rows = [dict(zip(answer.columns, row, strict=True)) for row in answer.rows()]
    assert sum(row["pod_reconciles"] for row in rows) == (row["pods"] or 0)
    assert all((row["why_code"] is None) == bool(row["missing"]) for row in rows)
    assert detail not in ("pods", "all") or not any(row["missing"] for row in rows)


@pytest.mark.parametrize("detail", ["numbers", "moved", "steps"])
def test_a_step_or_what_shows_it_is_told_of_every_reconcile(detail: str, results_of: Replayed) -> None:
    path = results_of("load-step", detail)
    with open_file(path) as results:
        times = [row["at"] for row in results.rows("select epoch_us(ts) as at from reconciles order by ts")][::7]
    for at in times:
        with query(path, "which_steps_made_it", at=at) as answer:
            assert answer.rows()


def test_an_outage_is_a_reason_for_no_scale_up(results_of: Replayed) -> None:
    with query(results_of("metrics-down"), "why_no_scale_up") as answer:
        counts = {(row[2], row[3]): row[4] for row in answer.rows()}
    # The headline counts the first ones; while the first pods started there was no sample yet.
    assert counts["gate.all_metrics_invalid", "metric.invalid.api_unavailable"] == 20
    assert counts["gate.all_metrics_invalid", "metric.invalid.no_ready_metrics"] == 2


def test_what_should_be_done_begins_with_the_incident(results_of: Replayed) -> None:
    with query(results_of("scaled-by-hand"), "what_should_be_done") as answer:
        first = dict(zip(answer.columns, answer.rows()[0], strict=True))
    assert first["pattern"] == "external_write.manual"
    assert first["verdict"] == "kubectl wrote 6 -> 2 at 15:04:31Z; the HPA wanted 6"


def in_order(message: str) -> str:
    """The message with the HPAs of its list in order, for the controller names them in any."""
    return re.sub(r"\[(.*)\]", lambda listed: f"[{' '.join(sorted(listed[1].split()))}]", message)


@pytest.mark.parametrize("name", RECORDINGS)
def test_a_failure_that_is_proven_has_the_message_that_was_published(name: str, results_of: Replayed) -> None:
    with open_file(results_of(name)) as results:
        rows = results.rows("""
            select r.error, c.message
            from (from reconciles where active_status = 'False' and evidence in ('proven', 'seen')) as r
            asof join (from hpa_conditions where type = 'ScalingActive') as c
                on c.hpa_uid = r.hpa_uid and r.ts + interval 1 second >= c.observed_at
        """)
    # Those of old releases are named by their release; one of them lasts until the controller has conditions.
    assert len(rows) >= (0 if name.startswith("1.") or name in NEVER_FAILED else 1)
    for row in rows:
        published = row["message"].removeprefix("the HPA was unable to compute the replica count: ")
        assert in_order(row["error"]).endswith(in_order(published))


@pytest.mark.parametrize("name", RECORDINGS)
def test_the_change_before_a_reconcile_left_the_number_that_it_read(name: str, results_of: Replayed) -> None:
    """Its own write may be seen a moment before its status, and is no change before it.

    From 1.2 to 1.5 several reconciles may begin at one instant, and those read what another one wrote then.
    """
    alone = "select reconcile_id from reconciles qualify count(*) over (partition by hpa_uid, began_at) = 1"
    with open_file(results_of(name)) as results:
        rows = results.rows(alone)
        accounts = list(reconcile_accounts(results, [row["reconcile_id"] for row in rows]))
    assert accounts
    told = [(one.before.to_replicas, one.spec_replicas) for one in accounts if one.before is not None]
    assert [pair for pair in told if pair[0] != pair[1]] == []


def test_a_metric_that_rose_from_zero_was_answered_by_the_reconcile_that_saw_it(results_of: Replayed) -> None:
    with query(results_of("queue-to-zero"), "how_fast_was_the_reaction") as answer:
        rows = [dict(zip(answer.columns, row, strict=True)) for row in answer.rows()]
    with open_file(results_of("queue-to-zero")) as results:
        raised = results.rows("select ts from changes where to_replicas > from_replicas order by ts")
    assert [(row["scaled_up_at"].replace(tzinfo=None), row["seconds"]) for row in rows] == [
        (one["ts"], 0) for one in raised
    ]


@pytest.mark.parametrize("name", RECORDINGS)
def test_the_charts_draw_every_metric_wherever_it_was_usable(name: str, results_of: Replayed) -> None:
    with open_file(results_of(name)) as results:
        hpas = [
            f"{row['namespace']}/{row['name']}" for row in results.rows("select distinct namespace, name from hpas")
        ]
        drawn = {
            (columns.name, metric.name): sum(value is not None for value in metric.values)
            for columns in hpa_columns(results, hpas)
            for metric in columns.metrics
        }
        usable = results.rows(
            "select name, metric_name, count(*) filter (isfinite(ratio)) as n from metric_proposals group by all"
        )
    assert {(row["name"], row["metric_name"]): row["n"] for row in usable}.items() <= drawn.items()

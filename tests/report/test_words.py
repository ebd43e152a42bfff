"""Verdicts, reasons and flips: the sentence fits what happened."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpaaudit.model.account import Change, Hidden, HpaAccount, Metric, ReconcileAccount, ReplayAccount
from hpaaudit.model.flips import ForeignPodFlip, LoadFlip, MemoryFlip, ReadyFlip, TimeFlip, UtilizationFlip
from hpaaudit.model.units import SECOND, Micros
from hpaaudit.report.explain import explain_rows, explain_text
from hpaaudit.report.flip import flip_lines
from hpaaudit.report.hold import HOLDERS, WORDS, held_in_words
from hpaaudit.report.reasons import _SENTENCES, measure, sentence
from hpaaudit.report.replay import count_lines, finding_lines, replay_text
from hpaaudit.report.text import Clock
from hpaaudit.report.verdict import verdict
from tests.report.accounts import NOON, cpu, divergence, finding, foreign_write, hold, hpa, reconcile, step


@pytest.mark.parametrize(
    ("account", "words"),
    [
        (hpa(), "The HPA was faithful: it decided as the replay does, and never had to scale."),
        (
            hpa(match=0, undecidable=40, undecidable_why=("memory.before_recording",)),
            (
                "Nothing can be decided: every reconcile lacks an input "
                "(unknown: what the controller recommended or scaled earlier)."
            ),
        ),
        (
            hpa(divergent=9, divergences=(divergence("not_run.controller_down"),)),
            (
                "No controller ran from 12:00:00Z until the recording ended: its Lease had run out. "
                "1 reconcile did not take place."
            ),
        ),
        (
            hpa(divergent=9, divergences=(divergence("not_run.controller_hung"), divergence("unexplained"))),
            (
                "The controller renewed its Lease but reconciled no HPA from 12:00:00Z until the recording ended. "
                "1 reconcile did not take place. "
                "Replay and controller differ at 12:00:00Z, unexplained: "
                "replay 8, controller 10, replicas then 10."
            ),
        ),
        (
            hpa(divergent=9, divergences=(divergence("config.tolerance", "tolerance 0.3 explains 14 of 14"),) * 2),
            "The controller seems to have run with another setting than this replay: tolerance 0.3 explains 14 of 14.",
        ),
        (
            hpa(divergent=1, foreign_writes=(foreign_write(restored_s=22),)),
            "The HPA was faithful. At 12:00:00Z helm wrote 12 -> 4; the HPA had 12 again after 22s.",
        ),
        (
            hpa(
                divergent=1, foreign_writes=(foreign_write(restored_s=None, undone_us=NOON + 4_000_000, undone_to=12),)
            ),
            "The HPA was faithful. At 12:00:00Z helm wrote 12 -> 4; somebody unknown undid that after 4s.",
        ),
        (
            hpa(
                divergent=1,
                foreign_writes=(
                    foreign_write(
                        restored_s=None, undone_us=NOON + 40_000_000, undone_to=12, undone_after_us=NOON + 25_000_000
                    ),
                ),
            ),
            "The HPA was faithful. At 12:00:00Z helm wrote 12 -> 4; somebody unknown undid that within 40s.",
        ),
        (
            hpa(
                divergent=1,
                foreign_writes=(foreign_write(restored_s=None, released_us=NOON + 40_000_000, is_deleted=True),),
            ),
            "The HPA was faithful. At 12:00:00Z helm wrote 12 -> 4; the HPA did not undo that before it was deleted.",
        ),
        (
            hpa(
                divergent=1,
                foreign_writes=(foreign_write(restored_s=None, released_us=NOON + 40_000_000, is_gone=True),),
            ),
            (
                "The HPA was faithful. "
                "At 12:00:00Z helm wrote 12 -> 4; the HPA did not undo that before the target was gone."
            ),
        ),
        (
            hpa(
                divergent=1,
                foreign_writes=(
                    foreign_write(restored_s=None, undone_us=NOON + 4_000_000, undone_to=15, undone_by="alice"),
                ),
            ),
            "The HPA was faithful. At 12:00:00Z helm wrote 12 -> 4; alice wrote 15 after 4s.",
        ),
        (  # Of the write that undid it is not known whether the HPA made it.
            hpa(
                divergent=1,
                foreign_writes=(
                    foreign_write(restored_s=None, undone_us=NOON + 4_000_000, undone_to=12, undone_may_be_hpa=True),
                ),
            ),
            (
                "The HPA was faithful. At 12:00:00Z helm wrote 12 -> 4; "
                "somebody unknown or the HPA itself undid that after 4s."
            ),
        ),
        (  # What alice undid is no more what helm wrote.
            hpa(
                divergent=1,
                foreign_writes=(
                    foreign_write(
                        restored_s=None,
                        answered_us=NOON + 3_000_000,
                        answered_to=8,
                        undone_us=NOON + 9_000_000,
                        undone_to=12,
                        undone_by="alice",
                    ),
                ),
            ),
            "The HPA was faithful. At 12:00:00Z helm wrote 12 -> 4; the HPA wrote 8 after 3s, and alice 12 after 9s.",
        ),
        (
            hpa(
                divergent=1,
                foreign_writes=(foreign_write(restored_s=None, answered_us=NOON + 9_000_000, answered_to=8),),
            ),
            "The HPA was faithful. At 12:00:00Z helm wrote 12 -> 4; the HPA wrote 8 after 9s, and not 12 again.",
        ),
        (
            hpa(
                divergent=1,
                foreign_writes=(foreign_write(restored_s=22, after_us=NOON - 8_000_000, missing_pod_s=120),),
            ),
            (
                "The HPA was faithful. Between 11:59:52Z and 12:00:00Z helm wrote 12 -> 4; "
                "the HPA had 12 again within 30s; 2 pod-minutes missing at least."
            ),
        ),
        (
            hpa(divergent=1, foreign_writes=(foreign_write(restored_s=22, is_remade=True),)),
            "The HPA was faithful. At 12:00:00Z helm made the target again: 12 -> 4; the HPA had 12 again after 22s.",
        ),
        (
            hpa(divergent=1, foreign_writes=(foreign_write(restored_s=22, missing_pod_s=None),)),
            (
                "The HPA was faithful. At 12:00:00Z helm wrote 12 -> 4; the HPA had 12 again after 22s; "
                "how many pods were missing is unknown."
            ),
        ),
        (
            hpa(
                divergent=1,
                foreign_writes=(
                    foreign_write(restored_s=None, unseen_us=NOON + 9_000_000, missing_pod_s=120),
                    foreign_write(restored_s=None, unseen_us=NOON + 9_000_000),
                ),
            ),
            (
                "The HPA was faithful. "
                "At 12:00:00Z helm wrote 12 -> 4; from 12:00:09Z on nobody looked; 2 pod-minutes missing until then. "
                "At 12:00:00Z helm wrote 12 -> 4; from 12:00:09Z on nobody looked."
            ),
        ),
        (
            hpa(divergent=3, foreign_writes=(foreign_write(restored_s=None),) * 3),
            (
                "The HPA was faithful. "
                "At 12:00:00Z helm wrote 12 -> 4; the HPA did not undo that before the recording ended. "
                "At 12:00:00Z helm wrote 12 -> 4; the HPA did not undo that before the recording ended. "
                "helm wrote 1 more time, the last at 12:00:00Z."
            ),
        ),
        (
            hpa(
                divergent=4,
                foreign_writes=(
                    *(foreign_write(restored_s=None),) * 3,
                    replace(foreign_write(restored_s=None), is_remade=True, writer_name=""),
                ),
            ),
            (
                "The HPA was faithful. "
                "At 12:00:00Z helm wrote 12 -> 4; the HPA did not undo that before the recording ended. "
                "At 12:00:00Z helm wrote 12 -> 4; the HPA did not undo that before the recording ended. "
                "helm wrote 1 more time, the last at 12:00:00Z. "
                "Others made the target again 1 more time, the last at 12:00:00Z."
            ),
        ),
        (
            hpa(divergent=1, divergences=(divergence("unexplained"),)),
            "Replay and controller differ at 12:00:00Z, unexplained: replay 8, controller 10, replicas then 10.",
        ),
        (
            hpa(divergent=2, divergences=(divergence("unexplained"),) * 2),
            (
                "Replay and controller differ 2 times, first at 12:00:00Z, unexplained: "
                "replay 8, controller 10, replicas then 10."
            ),
        ),
        (
            hpa(divergent=1, divergences=(divergence("write_failed.api_error"),)),
            "The HPA was faithful. A write of the HPA failed, first at 12:00:00Z (api error).",
        ),
        (
            hpa(skew=1, divergences=(divergence("timing.sampling_skew"), divergence("no_data.warmup"))),
            (
                "The HPA decided as the replay does in 39 of 40 reconciles; "
                "in 1 it read a value or a time that was not recorded (skew)."
            ),
        ),
        (
            hpa(undecidable=10, match=30, undecidable_why=("recorder restarted",)),
            (
                "The HPA was faithful in all 30 reconciles that can be compared, and never had to scale. "
                "10 of 40 reconciles cannot be decided (unknown: recorder restarted)."
            ),
        ),
        (
            hpa(comparable=30, agree=30),
            (
                "The HPA was faithful in all 30 reconciles that can be compared, and never had to scale. "
                "What the controller decided in 10 more was not recorded."
            ),
        ),
        (
            hpa(holds=tuple(hold(cause, 300 - n) for n, cause in enumerate(("memory", "up_policy", "max_replicas")))),
            (
                "The HPA was faithful: it decided as the replay does, and never scaled. "
                "Earlier recommendations, not load, held a scale-down for 5m 00s, in 4 reconciles at 12:00:00Z. "
                "The metrics asked for more than the scale-up policies allowed for 4m 59s, in 4 reconciles at "
                "12:00:00Z. 1 more cause held the replicas: maxReplicas (4m 58s)."
            ),
        ),
        (
            hpa(
                divergent=9,
                divergences=(divergence("config.tolerance", "tolerance 0.3"), divergence("write_failed.denied")),
                foreign_writes=(foreign_write(restored_s=22),) * 3,
                holds=tuple(hold(cause, 90) for cause in ("memory", "no_metric", "up_window", "down_disabled")),
            ),
            (
                "The controller seems to have run with another setting than this replay: tolerance 0.3. "
                "At 12:00:00Z helm wrote 12 -> 4; the HPA had 12 again after 22s. "
                "At 12:00:00Z helm wrote 12 -> 4; the HPA had 12 again after 22s. "
                "helm wrote 1 more time, the last at 12:00:00Z. "
                "A write of the HPA failed, first at 12:00:00Z (denied). "
                "With the settings of this replay, earlier recommendations, not load, held a scale-down for 1m 30s, "
                "in 4 reconciles at 12:00:00Z. "
                "No metric was usable, so that nothing could scale, for 1m 30s, in 4 reconciles at 12:00:00Z. "
                "2 more causes held the replicas: the window that delays a scale-up (1m 30s), "
                "a scale-down that is disabled "
                "(1m 30s)."
            ),
        ),
        (
            hpa(comparable=0, agree=0),
            "Nothing can be compared: what the controller decided was not recorded.",
        ),
    ],
)
def test_the_verdict_says_whose_doing_it_was(account: HpaAccount, words: str) -> None:
    assert verdict(account, Clock(NOON, NOON)) == words


TWICE = "Some of these pod-minutes may be the same pods, counted twice: what_did_it_cost counts each once."
LIMITED = replace(hold("up_limit", 120), pod_s=240.0, is_shared=True)
SHORT = foreign_write(restored_s=90, missing_pod_s=180.0)
LATER = replace(SHORT, at_us=Micros(NOON + 95 * SECOND))


@pytest.mark.parametrize(
    ("fields", "is_told"),
    [
        ({"foreign_writes": (SHORT,), "holds": (LIMITED,)}, True),
        ({"foreign_writes": (SHORT,), "holds": (replace(LIMITED, is_shared=False),)}, False),
        ({"foreign_writes": (SHORT,), "holds": (replace(LIMITED, pod_s=10.0),)}, False),
        ({"foreign_writes": (replace(SHORT, missing_pod_s=None),), "holds": (LIMITED,)}, False),
        ({"foreign_writes": (replace(SHORT, missing_pod_s=10.0),), "holds": (LIMITED,)}, False),
        ({"foreign_writes": (SHORT, replace(SHORT, at_us=Micros(NOON + 60 * SECOND)))}, True),
        ({"foreign_writes": (SHORT, LATER)}, False),
        (
            {"foreign_writes": (replace(SHORT, restored_us=None), LATER)},
            True,
        ),
    ],
)
def test_costs_that_share_pods_are_said_to_overlap(fields: dict[str, tuple[object, ...]], is_told: bool) -> None:
    assert (TWICE in verdict(hpa(**fields), Clock(NOON, NOON))) == is_told


HELD = {"recommendation": 9, "recommended_us": NOON - 220_000_000, "window_us": 300_000_000}


@pytest.mark.parametrize(
    ("metric", "words"),
    [
        (
            cpu(87, adjust_code="adjust.direction_flip_hold", ready_pods=2, unready_pods=2),
            "2 of 4 pods were not ready and counted as idle.",
        ),
        (
            cpu(87, adjust_code="adjust.unready_as_zero_up", ready_pods=2, unready_pods=1, missing_pods=1),
            "2 of 4 pods were not ready or not measured and counted as idle.",
        ),
        (
            cpu(30, adjust_code="adjust.missing_as_full_down", ready_pods=2, unready_pods=1, missing_pods=1),
            "1 of 4 pods was not measured and counted as busy.",
        ),
        (cpu(30, ready_pods=2, unready_pods=2), "that counts until 12:01:20Z."),
    ],
)
def test_the_pods_are_told_that_made_a_metric_ask_for_another_number_than_its_value(metric: Metric, words: str) -> None:
    held = step("stabilize", "stabilize.down_hold", 3, 4, **HELD)
    told = sentence(reconcile(reason_code="stabilize.down_hold", metrics=(metric,), steps=(held,)))
    assert told.endswith(words)


@pytest.mark.parametrize(
    ("account", "words"),
    [
        (reconcile(), "Kept 4: cpu 62 % of 60 % is inside the tolerance of 0.1."),
        (
            reconcile(
                reason_code="stabilize.down_hold",
                raw_desired=3,
                metrics=(cpu(45),),
                steps=(step("stabilize", "stabilize.down_hold", 3, 4, **HELD),),
            ),
            (
                "Held by an earlier recommendation, not by load: cpu 45 % of 60 % allows 3, "
                "but 9 was recommended at 11:56:20Z; that counts until 12:01:20Z."
            ),
        ),
        (
            reconcile(reason_code="bound.max", steps=(step("bound", "bound.max", 14, 10, min=2, max=10),)),
            "Limited to maxReplicas 10; 14 were wanted.",
        ),
        (
            reconcile(
                reason_code="gate.all_metrics_invalid",
                metrics=(cpu(None, valid=False, invalid_text="no answer"),),
                steps=(),
            ),
            "Kept 4: no metric was usable (no answer).",
        ),
        (reconcile(reason_code="stabilize.down_hold", steps=()), "stabilize.down_hold: cpu 62 % of 60 %."),
        (reconcile(reason_code="new.code"), "new.code: cpu 62 % of 60 %."),
        (
            reconcile(metrics=(cpu(62, is_winner=True), cpu(36, name="gpu", is_winner=False))),
            "Kept 4: cpu 62 % of 60 % is inside the tolerance of 0.1. gpu 36 % of 60 % asks for 4 too.",
        ),
        (
            reconcile(
                reason_code="adjust.damped_into_tolerance",
                metrics=(
                    cpu(80, is_winner=True),
                    *(cpu(36, name=name, is_winner=False) for name in ("gpu", "tpu")),
                    cpu(10, proposal=1, is_winner=False),
                ),
            ),
            (
                "Kept 4: after unready and missing pods were filled in, cpu 80 % of 60 % is inside the tolerance. "
                "gpu 36 % of 60 % as well as tpu 36 % of 60 % ask for 4 too."
            ),
        ),
        (
            reconcile(reason_code="gate.below_min", metrics=()),
            "Current replicas were below minReplicas 2; metrics were not consulted.",
        ),
    ],
)
def test_the_reason_is_a_sentence(account: ReconcileAccount, words: str) -> None:
    assert sentence(account) == words


def test_every_reason_of_the_engine_has_a_sentence() -> None:
    engine = Path(__file__).parents[2] / "hpaaudit" / "engine"
    source = "".join(path.read_text("utf-8") for path in engine.rglob("*.py"))
    reasons = {word for word in source.split('"') if word.startswith(("gate.", "tolerance.", "bound.", "window."))}
    assert reasons - {"gate.", "gate.hpa_deleted"} <= set(_SENTENCES)


@pytest.mark.parametrize(
    ("metric", "words"),
    [
        (cpu(171), "cpu 171 % of 60 %"),
        (cpu(None), "cpu"),
        (cpu(None, name="queue", target_type="AverageValue", target=500, current_milli=1160), "queue 1160m of 500m"),
        (cpu(None, name="queue", target_type="Value", target=30_000, current_milli=None), "queue"),
    ],
)
def test_a_metric_is_told_against_its_target(metric: object, words: str) -> None:
    assert measure(metric) == words  # type: ignore[arg-type]


def later(seconds: int) -> Micros:
    return Micros(NOON + seconds * SECOND)


def words_of(account: ReconcileAccount) -> str:
    """The page of a reconcile as one line."""
    return " ".join(explain_text(account).split())


@pytest.mark.parametrize(
    ("hides_hpa", "hides_target", "numbers", "unknown", "certainty"),
    [
        (True, True, "not recorded, until 12:00:00Z it was spec 4, status 4, min 2, max 10",
         "the scale and the HPA", "not recorded"),
        (True, False, "spec 4, status 4; not recorded, until 12:00:00Z it was min 2, max 10",
         "the HPA", "not recorded"),
        (False, True, "min 2, max 10; not recorded, until 12:00:00Z it was spec 4, status 4",
         "the scale", "proven"),
    ],
)  # fmt: skip
def test_what_nobody_looked_at_is_told_as_it_was_last(
    hides_hpa: bool, hides_target: bool, numbers: str, unknown: str, certainty: str
) -> None:
    account = reconcile(
        at_us=later(60),
        at_source="grid",
        decided=None,
        decided_source="",
        actual=None,
        verdict="undecidable",
        evidence="assumed" if hides_hpa else "proven",
        conditions=(("ScalingActive", "True", "ValidMetricFound"),),
        divergence=divergence("no_data.recording_gap", "not observed: recorder stopped"),
        hidden=Hidden(since_us=NOON, until_us=later(90), hides_hpa=hides_hpa, hides_target=hides_target),
    )
    page = words_of(account)
    assert f"input {numbers}" in page
    assert f"when the sync period; input {certainty}" in page
    assert f"input {unknown}: nobody looked from 12:00:00Z until 12:01:30Z" in page
    said = "nothing that was recorded; until 12:00:00Z it had said " if hides_hpa else ""
    assert f"Kubernetes said {said}ScalingActive=True ValidMetricFound" in page
    assert ("Replay ?, controller ?, replicas then ?" in page) is hides_hpa


@pytest.mark.parametrize(
    ("seen_us", "words"),
    [
        (None, "No reconcile of this HPA was seen until 12:00:00Z: this is the first one after that."),
        (later(30), "The HPA was first seen at 12:00:30Z, after 12:00:00Z: this is its first reconcile."),
    ],
)
def test_another_reconcile_than_was_asked_for_says_so_first(seen_us: Micros | None, words: str) -> None:
    account = reconcile(at_us=later(60), asked_us=NOON, seen_us=seen_us)
    assert f"replicas then 4: match. {words} Kept 4" in words_of(account)
    assert explain_rows(account)[1] == ("", words)
    assert words not in words_of(reconcile(at_us=later(60)))


def test_every_cause_of_a_hold_has_its_words_also_in_a_list() -> None:
    assert HOLDERS.keys() == WORDS.keys()


@pytest.mark.parametrize("cause", sorted(WORDS))
def test_every_hold_is_a_whole_sentence_that_counts_the_metrics_which_failed(cause: str) -> None:
    """Where metrics failed, two are told as two, and nothing else of the sentence changes."""
    one, two = (held_in_words(replace(hold(cause, 60), failed_metrics=number), Clock(NOON, NOON)) for number in (1, 2))
    assert "{" not in one
    assert one[:1].isupper() or one.startswith("maxReplicas")
    assert one.endswith(".")
    assert two.replace("2 metrics failed", "One metric failed") == one
    assert (one != two) == ("One metric failed" in one)


def test_a_window_that_scaled_down_is_told_with_what_it_took() -> None:
    fell = replace(hold("up_window", 60), fell_us=NOON, fell_from=6, fell_to=3)
    assert "held one for" in held_in_words(hold("up_window", 60), Clock(NOON, NOON))
    assert held_in_words(fell, Clock(NOON, NOON)).startswith(
        "The window that delays a scale-up scaled down, as it does up to 1.20, 6 -> 3 at 12:00:00Z, and held the "
        "scale-up for"
    )


def flip(percent: int, desired: int) -> UtilizationFlip:
    """A utilization of cpu at which another number is decided."""
    return UtilizationFlip(metric="cpu", utilization_percent=percent, desired=desired)


@pytest.mark.parametrize(
    ("account", "words"),
    [
        (reconcile(flips=(flip(67, 5), flip(45, 3))), "at cpu 67 % the HPA would want 5 replicas, at 45 % 3 replicas"),
        (reconcile(flips=(flip(67, 5),)), "at cpu 67 % the HPA would want 5 replicas"),
        (reconcile(flips=(flip(30, 1),)), "at cpu 30 % the HPA would want 1 replica"),
        (
            reconcile(flips=(MemoryFlip(recommended_us=NOON, leaves_us=Micros(NOON + 300 * SECOND), desired=3),)),
            "from 12:05:00Z on the HPA would want 3 replicas: the recommendation of 12:00:00Z leaves the window",
        ),
        (
            reconcile(flips=(LoadFlip(permille=4, desired=5), LoadFlip(permille=-120, desired=1))),
            "with 0.4 % more load the HPA would want 5 replicas\nwith 12 % less load the HPA would want 1 replica",
        ),
        (
            reconcile(flips=(ReadyFlip(pods=("a",), unready=5, desired=6),)),
            "with 1 of 5 unready pods counted as ready (a) the HPA would want 6 replicas",
        ),
        (
            reconcile(flips=(ForeignPodFlip(pods=("a", "b", "c", "d"), foreign=4, owners=("Job/x",), desired=3),)),
            "without 4 of 4 foreign pods (a, b, c and 1 more, of Job/x) the HPA would want 3 replicas",
        ),
        (
            reconcile(
                flips=(
                    TimeFlip(
                        at_us=Micros(NOON + 35 * SECOND),
                        later_us=35 * SECOND,
                        cause="scale_event",
                        cause_us=Micros(NOON - 25 * SECOND),
                        desired=8,
                    ),
                )
            ),
            (
                "35s later, from 12:00:35Z on, the same metrics would give 8 replicas: "
                "the scale of 11:59:35Z leaves the period of a policy"
            ),
        ),
        (reconcile(), ""),
    ],
)
def test_the_nearest_flips_are_told_as_they_were_found(account: ReconcileAccount, words: str) -> None:
    assert "\n".join(flip_lines(account)) == words


OUTAGE = "unable to fetch metrics from resource metrics API: the server is currently unable to handle the request"


@pytest.mark.parametrize(
    ("events", "words"),
    [
        ((("FailedGetResourceMetric", OUTAGE),), "cpu: as Event FailedGetResourceMetric says"),
        ((("FailedGetResourceMetric", f"{OUTAGE} now"),), f"cpu: {OUTAGE}"),
        ((("FailedGetResourceMetric", OUTAGE), ("FailedGetResourceMetric", "another")), f"cpu: {OUTAGE}"),
        ((), f"cpu: {OUTAGE}"),
    ],
    ids=["word for word", "other words", "which of two", "no Event"],
)
def test_an_error_that_one_event_tells_word_for_word_is_not_printed_again(
    events: tuple[tuple[str, str], ...], words: str
) -> None:
    text = " ".join(explain_text(reconcile(error=f"cpu: {OUTAGE}", events=events)).split())
    assert f"its error {words} " in f"{text} "


def test_hostile_words_of_a_cluster_cannot_steer_the_terminal() -> None:
    account = reconcile(
        conditions=(("AbleToScale", "True", "\x1b[2J"),),
        events=(("SuccessfulRescale", "New size: 4\nreason: \x07"),),
        error="\x1b]0;title\x07",
        divergence=divergence("unexplained", "\x1b[31m"),
        metrics=(cpu(62, name="\x1b[1m"),),
    )
    text = explain_text(account)
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "New size: 4\\nreason" in text


def test_hostile_names_cannot_steer_the_terminal_or_a_pasted_command() -> None:
    hostile = hpa(namespace="\x1b[2J", name="web; rm -rf ~", divergences=(divergence("unexplained"),))
    text = replay_text(
        ReplayAccount(
            file="my results.duckdb",
            recording="\x1b]0;x\x07",
            started_us=NOON,
            ended_us=NOON,
            release="1.36",
            assumptions=(),
            gaps=(),
            hpas=(hostile,),
        )
    )
    assert "\x1b" not in text
    assert "hpaaudit explain 'my results.duckdb' '\\x1b[2J/web; rm -rf ~' --at 2026-03-02T12:00:00Z" in text


def one_screen(account: HpaAccount) -> str:
    """The first screen of a recording with this HPA alone, in one line."""
    page = ReplayAccount(
        file="x.duckdb",
        recording="x",
        started_us=NOON,
        ended_us=NOON,
        release="1.36",
        assumptions=(),
        gaps=(),
        hpas=(account,),
    )
    return " ".join(replay_text(page).split())


def test_a_change_that_only_the_replay_made_is_called_so() -> None:
    predicted = Change(
        at_us=NOON,
        from_replicas=4,
        to_replicas=6,
        writer_class="",
        writer_name="",
        decided=4,
        replay=6,
        reason_code="metric.above_target",
        metric=cpu(90),
        divergence_class="unexplained",
        severity="high",
        confidence="possible",
    )
    screen = one_screen(hpa(divergent=1, match=39, agree=39, changes=(predicted,)))
    assert "12:00:00Z 4 6 (replay only) 4 6 did not happen; unexplained, high, possible" in screen
    assert "nobody" not in screen


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("external_write.manual", "after 1 of these somebody else wrote (divergent)"),
        ("write_failed.conflict", "after 1 of these the write failed (divergent)"),
    ],
)
def test_a_divergence_beside_full_agreement_is_explained(kind: str, words: str) -> None:
    screen = one_screen(hpa(divergent=1, match=39, agree=40, divergences=(divergence(kind),)))
    assert f"agree in 40 of 40 (100.0 %); {words}; undecidable: none" in screen


def test_each_code_on_a_screen_has_its_words_once() -> None:
    screen = one_screen(hpa(divergent=2, match=38, divergences=(divergence("unexplained"),), skew=1))
    assert screen.count("skew the controller read a value or a time that was not recorded") == 1
    assert "divergent what the controller decided" in screen
    assert "undecidable something" not in screen


def test_what_a_gap_hid_is_told_by_the_cause_of_the_gap() -> None:
    """Not as what the controller recommended earlier, which the gap left unknown too."""
    hidden = divergence("no_data.recording_gap", "not observed: recorder restarted")
    page = explain_text(
        reconcile(verdict="undecidable", band=(4, 8), missing_input="memory.before_recording", divergence=hidden)
    )
    assert "possible         4 to 8; not observed: recorder restarted" in page
    assert "recommended or scaled earlier" not in page


@given(st.integers(1, 40), st.floats(0, 1e6))
def test_how_much_is_undecidable_is_never_said_to_be_nothing(undecidable: int, seconds: float) -> None:
    """Of several reconciles at one instant (1.2 to 1.5) all but the last one last no time."""
    text = " ".join(count_lines(hpa(undecidable=undecidable, undecidable_s=seconds)))
    assert "undecidable: 0s" not in text
    assert "undecidable: none" not in text


def test_a_part_of_a_recording_says_that_its_findings_are_of_the_whole() -> None:
    within, beyond = finding("high"), finding("high", last_us=Micros(NOON + 1))
    assert len(list(finding_lines((within,), Clock(NOON, NOON)))) == 1
    assert [*finding_lines((within, beyond), Clock(NOON, NOON))][-1].strip() == (
        "These findings count what lies outside the time that is shown, too."
    )
    assert len(list(finding_lines((replace(beyond, severity="info"),), Clock(NOON, NOON)))) == 1


def test_a_finding_of_low_severity_is_named() -> None:
    low = finding("low")
    assert [line.strip() for line in finding_lines((low,), Clock(NOON, NOON))] == [f"found: {low.pattern} (low)"]
    *_, last = finding_lines((finding("high"), low), Clock(NOON, NOON))
    assert last.strip() == f"also found: {low.pattern} (low)"

"""Worlds with a few incidents each: what the page says of them is what happened, whoever looked, and since when."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import pytest

from hpaaudit.api.canonical import finite
from hpaaudit.api.times import micros
from hpaaudit.engine.rules.primary_reason import of_metric
from hpaaudit.engine.rules.reason_codes import ABOVE_TARGET, BELOW_TARGET
from hpaaudit.engine.rules.replica_calculator import UNADJUSTED
from hpaaudit.flows.query import account, query
from hpaaudit.model.account import HpaAccount, ReplayAccount
from hpaaudit.model.facts import EventSeen, Fact, Gap, HpaSeen, PodSeen, ScaleWritten, TargetGone, TargetSeen
from hpaaudit.model.units import SECOND, Micros
from hpaaudit.report.explain import explain_text
from hpaaudit.report.structured import structured
from hpaaudit.report.text import Clock
from hpaaudit.report.verdict import verdict
from hpaaudit.results import sql
from hpaaudit.results.account_reconcile import reconcile_account
from hpaaudit.results.hpa_names import hpa_names
from hpaaudit.results.questions import hpas_of
from hpaaudit.results.read import Results
from hpaaudit.results.timeline import timeline
from tests.conformance.expected import capture_of, expected_of
from tests.fleet.both import replayed_twice
from tests.fleet.chance import write
from tests.fleet.outside import begun
from tests.truth.produced import NAMED, TOLD, produced
from tests.truth.replayed import replayed
from tests.truth.views import VIEWS, outside, watched
from tests.truth.worlds import facts_of, truth_of

View = Callable[[Sequence[Fact]], Iterator[Fact]]


def _replayed(name: str, view: View = watched, **options: Any) -> AbstractContextManager[Results]:
    return replayed(view(facts_of(TOLD / f"vector-{name}.capture.jsonl.gz")), **options)


def _expected(name: str, hpa: str = "shop/web") -> list[dict[str, Any]]:
    """What the real controller did in each reconcile of an HPA."""
    return [row for row in expected_of(TOLD / f"vector-{name}.capture.jsonl.gz") if row["hpa"] == hpa]


def _with_reason(rows: Sequence[dict[str, Any]], reason: str) -> int:
    return sum(any(one["reason"] == reason for one in row["status"]["conditions"]) for row in rows if row.get("status"))


def _told(results: Results, name: str = "web") -> HpaAccount:
    (hpa,) = [one for one in account(results).hpas if one.name == name]
    return hpa


def _words(hpa: HpaAccount, page: ReplayAccount) -> str:
    return verdict(hpa, Clock(page.started_us, page.ended_us))


def _nobody_looked(from_s: int, until_s: int) -> View:
    """A recorder that stopped for a while: then it saw each object as it had become."""

    def view(facts: Sequence[Fact]) -> Iterator[Fact]:
        seen = list(watched(facts))
        from_us, until_us = Micros(seen[0].at_us + from_s * SECOND), Micros(seen[0].at_us + until_s * SECOND)
        stands: dict[Any, Fact] = {}
        for fact in seen:
            if from_us <= fact.at_us < until_us and isinstance(fact, HpaSeen | PodSeen | TargetSeen):
                key = fact.pod.name if isinstance(fact, PodSeen) else getattr(fact, "target", None) or fact.uid
                stands[type(fact), key] = replace(fact, at_us=until_us)
        yield from (fact for fact in seen if fact.at_us < from_us)
        yield Gap(at_us=from_us, until_us=until_us, prefix="*", cause="recorder stopped")
        yield from stands.values()
        yield from (fact for fact in seen if fact.at_us >= until_us)

    return view


def _clock_ahead(seconds: int) -> View:
    """A recorder whose clock is ahead of the API server's: what objects say stays."""

    def view(facts: Sequence[Fact]) -> Iterator[Fact]:
        yield from (replace(fact, at_us=Micros(fact.at_us + seconds * SECOND)) for fact in watched(facts))

    return view


def test_what_memory_held_at_the_maximum_is_held_by_memory() -> None:
    """The 40 of two reconciles keeps 20 where 7 are asked for, then 7 where 3 are, then 3 where 2 are."""
    with _replayed("memory-at-maximum") as results:
        hold = next(hold for hold in _told(results).holds if hold.cause == "memory")
    assert (hold.reconciles, hold.lasted_s, hold.pod_s) == (60, 900, 90 * 60)


def test_a_status_that_was_refused_proves_no_inputs() -> None:
    """Of each of these only the Event is seen. The old status would fit the number before the HPA's write."""
    with _replayed("status-refused", outside) as results:
        read = results.rows(
            "select epoch_us(ts) as at_us, spec_replicas, evidence from reconciles where at_source = 'event'"
        )
        changes = results.rows("select from_replicas, to_replicas, writer_class from changes order by ts")
        told = verdict(_told(results), Clock(0, 0))
    true = {micros(row["at"]): row["spec_replicas"] for row in _expected("status-refused")}
    assert [row["spec_replicas"] for row in read] == [true[row["at_us"]] for row in read]
    assert {row["evidence"] for row in read} == {"assumed"}
    assert [(*row.values(),) for row in changes] == [(4, 8, "hpa"), (8, 6, "person"), (6, 8, "hpa")]
    assert "another reason" not in told


@pytest.mark.parametrize("view", ["minimal rights", "no writers"])
def test_what_the_hpa_writes_after_a_conflict_is_its_own_although_nobody_saw_who_wrote(view: str) -> None:
    """Its status tells of each write. alice wrote 7 five times."""
    with _replayed("conflicts-and-retries", VIEWS[view]) as results:
        others = results.rows("select to_replicas from foreign_writes")
        own = results.rows("select to_replicas from changes where writer_class = 'hpa' order by ts")
    assert [row["to_replicas"] for row in others] == [7] * 5
    assert [row["to_replicas"] for row in own] == [6, 9, 14, 20, 10]


def test_a_number_that_admission_changed_may_be_the_hpas_where_nobody_saw_who_wrote() -> None:
    with _replayed("admission-caps-scale-ups", outside) as results:
        others = results.rows("select to_replicas, may_be_hpa from foreign_writes")
        told = verdict(_told(results), Clock(0, 0))
    assert [(*row.values(),) for row in others] == [(5, True)]
    assert "somebody unknown wrote 4 -> 5: perhaps the HPA itself: nobody saw who wrote." in told


@pytest.mark.parametrize("view", ["minimal rights", "no writers"])
def test_what_undid_a_write_may_be_the_hpa_where_nobody_saw_who_wrote(view: str) -> None:
    """A person wrote 8 -> 6, and the HPA 8 again, whose status was refused."""
    with _replayed("status-refused", VIEWS[view]) as results:
        [write] = [one for one in _told(results).foreign_writes if one.undone_us is not None]
    assert (write.from_replicas, write.to_replicas, write.undone_to, write.undone_by) == (8, 6, 8, "")
    assert write.undone_may_be_hpa


def test_without_its_event_the_status_says_why_a_write_failed() -> None:
    facts = facts_of(NAMED / "vector-refused-in-each-way.capture.jsonl.gz")
    with replayed(fact for fact in outside(facts) if not isinstance(fact, EventSeen)) as results:
        classes = results.rows("select class, reconciles from divergences order by opened_at")
    assert [(*row.values(),) for row in classes] == [
        ("write_failed.conflict", 1),
        ("write_failed.denied", 4),
        ("write_failed.api_error", 4),
    ]


def test_a_write_that_failed_counts_although_somebody_else_wrote_that_number() -> None:
    with _replayed("refused-then-by-hand", outside) as results:
        (told,) = results.rows("select class, reconciles from divergences where class like 'write_failed.%'")
        (asked,) = results.rows(
            "select count from k8s_events where reason = 'FailedRescale' order by count desc limit 1"
        )
    assert (told["class"], told["reconciles"]) == ("write_failed.denied", asked["count"])


def test_a_number_that_somebody_replaced_held_until_then() -> None:
    """The reconcile before alice's write was limited by maxReplicas, and stood for ten seconds."""
    with _replayed("memory-at-maximum") as results:
        hold = next(hold for hold in _told(results).holds if hold.cause == "max_replicas")
        (row,) = results.rows("select * from interruptions")
        (asked,) = results.sql(
            "select count(*), sum(coalesce(stood_s, lasted_s)), sum((raw_desired - 20) * coalesce(stood_s, lasted_s)) "
            "from reconciles left join interruptions using (reconcile_id) where raw_desired > 20"
        ).fetchall()
    assert row["stood_s"] == pytest.approx(10, abs=0.01)
    assert (hold.reconciles, hold.lasted_s, hold.pod_s) == pytest.approx(asked)
    assert asked[:2] == pytest.approx((7, 100), abs=0.1)


@pytest.mark.parametrize("hpa", ["web", "web2"])
def test_an_hpa_that_shares_its_pods_could_not_scale(hpa: str) -> None:
    rows = _expected("second-hpa-later", f"shop/{hpa}")
    with _replayed("second-hpa-later") as results:
        holds = {hold.cause: hold.reconciles for hold in _told(results, hpa).holds}
        blind = dict(
            results.sql(
                "select name, sum(lasted_s) from reconciles where reason_code = 'gate.selector_ambiguous' group by name"
            ).fetchall()
        )
    assert holds["selector_ambiguous"] == _with_reason(rows, "AmbiguousSelector")
    assert blind[hpa] > 240


def test_an_hpa_answers_for_no_write_from_before_it_was_made() -> None:
    with _replayed("second-hpa-later") as results:
        later, born = (
            _told(results, "web2"),
            results.rows("select epoch_us(seen_at) as us from hpas where name = 'web2'"),
        )
        effects = results.rows("select min(epoch_us(ts)) as us from effects where name = 'web2'")
    assert (later.foreign_writes, later.changes) == ((), ())
    assert effects[0]["us"] >= born[0]["us"]


def test_admission_is_no_disagreement_of_the_controller() -> None:
    rows = _expected("admission-caps-scale-ups")
    changed = sum(put.get("stored", put["to"]) != put["to"] for row in rows for put in row.get("scale_puts", ()))
    with _replayed("admission-caps-scale-ups") as results:
        page = account(results)
        (hpa,) = page.hpas
    # Whether one at the end took place nobody knows.
    assert hpa.comparable == hpa.agree == hpa.reconciles == len(rows) - 1
    assert f"Admission changed the number of {changed} writes of the HPA, first at" in _words(hpa, page)
    assert "skew" not in _words(hpa, page)


def test_a_write_between_a_reconcile_and_its_own_write_is_no_restart() -> None:
    with _replayed("conflicts-and-retries") as results:
        hpa = _told(results)
        classes = {row["class"] for row in results.rows("select distinct class from divergences")}
    assert hpa.comparable == hpa.agree
    assert not {one for one in classes if one.startswith(("memory.", "config.", "unexplained"))}


def test_no_reconcile_is_inferred_while_the_controller_was_seen_to_be_stopped() -> None:
    with _replayed("blind-and-restarted") as results:
        times = [row["us"] for row in results.rows("select epoch_us(ts) as us from reconciles")]
        (process,) = results.rows(
            "select epoch_us(a.ended_at) as ended_us, epoch_us(b.acquired_at) as begun_us, "
            "from controller_epochs as a join controller_epochs as b on b.epoch_id = a.epoch_id + 1 "
            "where a.ended_at is not null"
        )
    assert len(times) == len(_expected("blind-and-restarted"))
    assert not [at_us for at_us in times if process["ended_us"] < at_us < process["begun_us"]]


def test_what_became_of_a_write_in_a_gap_is_unknown() -> None:
    """Alice's 0 of 14:06:40Z: bob and the HPA wrote in the gap, and argocd wrote 0 again."""
    with _replayed("switched-off-twice", _nobody_looked(150, 450)) as results:
        page = account(results)
        (hpa,) = page.hpas
        (write,) = hpa.foreign_writes
        hidden = results.rows("select count(*) as n from reconciles where class = 'no_data.recording_gap'")[0]["n"]
    # At zero the HPA was off, and asked no metric.
    assert (write.missing_pod_s, write.is_least) == (pytest.approx(4 * 5, abs=1), True)
    assert "from 14:07:30Z on nobody looked; how many pods were missing is unknown." in _words(hpa, page)
    assert hpa.proven == hpa.reconciles - hidden < hpa.reconciles


def test_several_changes_in_a_gap_are_nobodys_single_write() -> None:
    """The HPA wrote 8, 16, 20, 6, 12 and 20, and alice 3."""
    with _replayed("memory-at-maximum", _nobody_looked(150, 450)) as results:
        page = account(results)
        (hpa,) = page.hpas
    (change,) = [change for change in hpa.changes if change.evidence_level == "gap"]
    assert (change.from_replicas, change.to_replicas, change.writer_class) == (4, 20, "unknown")
    assert not [change for change in hpa.changes if not change.writer_class]
    assert "nobody looked, and 4 became 20: who wrote is unknown." in _words(hpa, page)


@pytest.mark.parametrize("seconds", [600, 75, -5, -3600])
def test_clocks_that_differ_are_said_and_no_setting_is_blamed_for_them(seconds: int) -> None:
    with _replayed("switched-off-twice", _clock_ahead(seconds)) as results:
        (offset,) = results.rows("select clock_offset_ms from recordings")
        findings = {one.pattern for one in _told(results).findings}
        classes = {row["class"] for row in results.rows("select distinct class from divergences")}
    assert offset["clock_offset_ms"] == pytest.approx(-1000 * seconds, abs=1500)
    assert "clock_skew" in findings
    assert not {one for one in classes if one.startswith(("memory.", "config.", "unexplained"))}


def test_clocks_that_agree_are_not_said_to_differ() -> None:
    with _replayed("switched-off-twice") as results:
        assert results.rows("select clock_offset_ms from recordings") == [{"clock_offset_ms": None}]


@pytest.mark.parametrize("cut", range(12, 135, 6))
def test_a_recorder_that_begins_late_accuses_nobody(cut: int) -> None:
    """What was remembered then is unknown, of recommendations and of scale events together."""
    with _replayed("behavior-edited-twice", lambda facts: begun(list(watched(facts)), cut)) as results:
        rows = results.rows("select verdict, class from reconciles where verdict = 'divergent'")
        wrong = results.rows("select * from reports where class = 'report.wrong_condition'")
    assert rows == []
    assert wrong == []


@pytest.mark.parametrize("cut", [60, 68, 72])
def test_a_cause_that_the_conditions_refute_is_not_told_as_one(cut: int) -> None:
    """What is remembered lets a disabled scale-down keep 5; what nobody saw held all or a part of it before."""
    with _replayed("behavior-edited-twice", lambda facts: begun(list(watched(facts)), cut)) as results:
        rows = results.rows(
            "select epoch_us(ts) as us from reconciles where verdict = 'match' and reason_code = 'policy.down_disabled'"
        )
        told = [explain_text(reconcile_account(results, "shop/web", Micros(row["us"]))) for row in rows]
        causes = {hold.cause for hold in _told(results).holds}
    said = [row for row in _expected("behavior-edited-twice") if micros(row["at"]) in {row["us"] for row in rows}]
    assert _with_reason(said, "ScaleDownStabilized") == len(said) > 0
    assert all("may have made the number instead" in " ".join(text.split()) for text in told)
    assert not causes & {"down_disabled", "memory"}


@pytest.mark.parametrize("until", ["14:05:20", "14:06:10", "14:09:00"])
def test_scalings_are_counted_within_the_time_that_is_shown(until: str) -> None:
    name = "blind-and-restarted"
    with _replayed(name, until=f"2026-03-02T{until}Z") as results:
        hpa = _told(results)
    scaled = [row for row in _expected(name) if any(put["status"] == 200 for put in row.get("scale_puts", ()))]
    assert hpa.told_scalings == sum(row["at"][11:19] < until for row in scaled)


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("New size: 7; reason: All metrics below target", "New size: 7; reason: All metrics below target"),
        ("(combined from similar events): New size: 7; reason: x", "New size: 7; reason: x"),
        ("reason (combined from similar events): x", "reason (combined from similar events): x"),
    ],
)
def test_an_event_that_stands_for_several_says_what_the_newest_did(message: str, said: str) -> None:
    with duckdb.connect() as connection:
        connection.execute(sql.folder("macros")["uncombined"])
        assert connection.execute("select uncombined($m)", {"m": message}).fetchall() == [(said,)]


def test_a_busy_hpa_is_not_told_to_have_lost_its_events() -> None:
    """From the eleventh similar Event in ten minutes on the client combines them; all are read alike."""

    def combined(facts: Sequence[Fact]) -> Iterator[Fact]:
        for fact in watched(facts):
            is_told = isinstance(fact, EventSeen) and fact.message.startswith("New size")
            yield replace(fact, message=f"(combined from similar events): {fact.message}") if is_told else fact

    with _replayed("memory-at-maximum") as plain, _replayed("memory-at-maximum", combined) as results:
        told, as_before = (
            one.rows("select class, count(*) as n from reports group by all order by all") for one in (results, plain)
        )
    assert told == as_before


def test_what_the_hpa_wrote_next_is_its_answer() -> None:
    """Two others wrote in a row; its own number is no way back to that of the first one's."""
    with _replayed("switched-off-twice") as results:
        answers = results.rows(
            "select w.to_replicas, w.answered_at, (select min(at_hi) from scale_events as e where e.source = 'actual' "
            "and e.writer_class = 'hpa' and e.at_hi > w.ts) as next_at from foreign_writes as w order by w.ts"
        )
    assert len(answers) == 3
    assert [row["answered_at"] for row in answers] == [row["next_at"] for row in answers]


def test_numbers_that_json_does_not_know_are_null() -> None:
    odd = {"a": [float("nan"), 1.5, (float("inf"),)], "b": {"c": -float("inf")}, "d": "NaN"}
    assert finite(odd) == {"a": [None, 1.5, [None]], "b": {"c": None}, "d": "NaN"}
    assert json.loads(structured(odd, "json")) == finite(odd)


@pytest.mark.parametrize("view", [watched, outside])
def test_a_target_that_was_made_again_is_told_with_its_new_number(view: View) -> None:
    with _replayed("target-made-again", view) as results:
        hpa = _told(results)
        words = _words(hpa, account(results))
    (again,) = [one for one in hpa.changes if one.is_remade]
    (write,) = hpa.foreign_writes
    read = [row["spec_replicas"] for row in _expected("target-made-again") if row.get("spec_replicas") is not None]
    assert [(again.from_replicas, again.to_replicas)] == [(old, new) for old, new in pairwise(read) if new < old]
    assert "made the target again: 6 -> 4" in words
    assert "perhaps the HPA itself" not in words
    assert "wanted that number" not in words
    assert write.restored_to == 6
    assert [(one.from_replicas, one.to_replicas) for one in hpa.changes].count((4, 6)) == 2


def _target_watched(deleted_s: float, made_s: float) -> View:
    """A watch of the target that shows when it was deleted, and when it was made again."""

    def view(facts: Sequence[Fact]) -> Iterator[Fact]:
        seen = list(watched(facts))
        deleted_us, made_us = (Micros(int(seen[0].at_us + at_s * SECOND)) for at_s in (deleted_s, made_s))
        again = next(fact for fact in seen if isinstance(fact, TargetSeen) and fact.at_us >= made_us)
        yield from (fact for fact in seen if fact.at_us < deleted_us)
        yield TargetGone(at_us=deleted_us, target=again.target, uid="")
        yield replace(again, at_us=made_us)
        yield from (fact for fact in seen if fact.at_us >= deleted_us and fact is not again)

    return view


def test_a_target_that_was_made_again_between_two_reconciles_is_no_divergence() -> None:
    with _replayed("target-replaced", _target_watched(150.1, 150.6)) as results:
        hpa = _told(results)
        words = _words(hpa, account(results))
    assert hpa.match == hpa.reconciles == len(_expected("target-replaced"))
    assert "made the target again: 14 -> 4" in words


def test_what_was_recommended_counts_although_its_status_was_refused() -> None:
    """Only Events tell of these reconciles: the status that stands is of one before the load doubled."""
    with _replayed("status-refused") as results:
        (again,) = [one for one in _told(results).changes if (one.from_replicas, one.to_replicas) == (6, 8)]
        classes = {row["class"] for row in results.rows("select class from reconciles")}
    assert again.replay == 8
    assert "unexplained" not in classes


@pytest.mark.parametrize("view", ["minimal rights", "no writers"])
def test_a_number_is_not_the_hpas_whose_write_was_refused(view: str) -> None:
    """Its writes were forbidden, and alice wrote the number that it wanted; the refusal still stood."""
    with _replayed("refused-then-by-hand", VIEWS[view]) as results:
        [write] = _told(results).foreign_writes
    assert (write.from_replicas, write.to_replicas, write.writer_class) == (4, 8, "unknown")


def test_a_number_is_the_hpas_that_told_of_it_before_somebody_wrote_it_again() -> None:
    """Alice wrote the same number 0.3 s later, and only her write was seen."""
    with _replayed("same-number-2", VIEWS["outside"]) as results:
        hpa = _told(results)
    assert hpa.foreign_writes == ()
    assert next((one.to_replicas, one.writer_class) for one in hpa.changes) == (8, "hpa")


def test_a_gate_is_on_without_which_nobody_could_store_the_spec() -> None:
    """Nothing of the controller was seen; minReplicas is 0, and no status says that the HPA is off."""
    with _replayed("asleep-at-zero", VIEWS["nothing of the controller"]) as results:
        hpa = _told(results)
        gates = results.rows("select value, source from assumptions where key = 'HPAScaleToZero'")
    assert gates == [{"value": "on", "source": "inferred"}]
    assert hpa.match == hpa.reconciles == len(_expected("asleep-at-zero"))


def test_a_write_that_nobody_saw_lies_between_two_looks() -> None:
    """The scale is only read now and then, and nothing tells of alice's write."""
    capture = TOLD / "vector-memory-at-maximum.capture.jsonl.gz"
    (written,) = [one for one in truth_of(capture, facts_of(capture)).written if not one.by_hpa]
    with _replayed("memory-at-maximum", VIEWS["no writers"]) as results:
        hpa = _told(results)
        words = _words(hpa, account(results))
    (write,) = hpa.foreign_writes
    assert write.after_us is not None
    assert write.after_us <= written.at_us <= write.at_us
    assert "somebody unknown wrote 20 -> 3; the HPA wrote 6 within 15s" in words


def test_published_values_that_an_old_answer_has_as_well_prove_nothing_while_no_metrics_were_recorded() -> None:
    """Each pod uses the same, so that the average is the old one although more pods are measured."""
    with _replayed("scale-read-forbidden", VIEWS["metrics with a hole"]) as results:
        told = results.rows("select evidence, desired, decided, class from reconciles where desired <> decided")
    assert {"evidence": "proven", "desired": 12, "decided": 20, "class": "no_data.recording_gap"} in told
    assert "unexplained" not in {row["class"] for row in told}


@pytest.mark.parametrize("view", ["two other flags", "nothing of the controller"])
def test_a_controller_with_another_window_held_and_is_not_said_to_have_restarted_before_it_did(view: str) -> None:
    """It keeps ten pods for five minutes, and writes nothing; the recorded flags say one. It restarts after four."""
    facts = facts_of(TOLD / "vector-restarted-in-a-hold.capture.jsonl.gz")
    with _replayed("restarted-in-a-hold", VIEWS[view]) as results:
        rows = results.rows("select epoch_us(ts) as at_us, desired, coalesce(class, '') as class from reconciles")
    running = [row for row in rows if row["at_us"] < facts[0].at_us + 240 * SECOND]
    assert [row for row in running if row["class"].startswith("not_run.")] == []
    assert [row["class"] for row in running if row["desired"] == 4].count("no_data.object_unseen") == (
        8 if view == "two other flags" else 0
    )


def test_of_two_writes_between_two_reconciles_the_last_is_told_as_one_of_two() -> None:
    """Helm wrote 5 a second before somebody wrote 3 by hand."""

    def view(facts: Sequence[Fact]) -> Iterator[Fact]:
        seen = list(watched(facts))
        by_hand = next(fact for fact in seen if isinstance(fact, TargetSeen) and fact.manager == "kubectl-scale")
        at_us, scale = Micros(by_hand.at_us - SECOND), replace(by_hand.scale, spec_replicas=5)
        before = replace(by_hand, at_us=at_us, written_us=at_us, scale=scale, manager="helm", subresource="")
        yield from sorted((*seen, before), key=lambda fact: fact.at_us)

    with _replayed("memory-at-maximum", view) as results:
        [told] = results.rows("select class, explanation from divergences")
    explanation = "kubectl-scale wrote 5 -> 3 at 14:11:40Z; the HPA wanted 20; one of 2 writes"
    assert told == {"class": "external_write.manual", "explanation": explanation}


def test_undoing_a_write_is_no_reaction_to_load() -> None:
    """At maxReplicas nothing could be raised: alice's write came later, and what undid it is no answer to the load."""
    ever = {"hpa": "%", "since": "-infinity", "until": "infinity"}
    with _replayed("memory-at-maximum") as results:
        rows = results.rows(sql.folder("questions")["how_fast_was_the_reaction"], **ever)
        undone = results.rows("select restored_at from foreign_writes")
    assert rows
    assert not {row["restored_at"] for row in undone} & {row["scaled_up_at"] for row in rows}


def test_of_a_late_recording_the_listed_status_is_of_some_time_before() -> None:
    """Two statuses have one time: that of the list, and that of the reconcile of this instant."""
    with replayed(VIEWS["from the middle"](facts_of(capture_of("1.11", "everything-100-0001")))) as results:
        assert results.rows("select ts from reconciles where class = 'unexplained'") == []
        last = _told(results, "api").changes[-1]
    assert (last.writer_class, last.from_replicas, last.to_replicas) == ("hpa", 3, 4)


@pytest.mark.parametrize("view", ["watched", "outside", "whole"])
def test_an_hpa_that_was_made_again_remembers_nothing_of_the_former_one(view: str) -> None:
    """Between its end and its new beginning a reconcile found it deleted."""
    with _replayed("hpa-made-again", VIEWS[view]) as results:
        former, later = sorted(account(results).hpas, key=lambda hpa: hpa.seen_us or 0)
        (held,) = [hold for hold in later.holds if hold.cause == "memory"]
    assert all(hpa.match == hpa.reconciles > 10 for hpa in (former, later))
    # Its first number, 6, is remembered for five minutes; 4 would have been enough.
    assert (held.lasted_s, held.pod_s) == (270, 9 * 60)


def test_the_name_of_an_hpa_that_was_made_again_is_one_name() -> None:
    """Two HPAs had it, one after the other. The name alone means both, as the whole one does."""
    with _replayed("hpa-made-again") as results:
        assert hpa_names(results) == hpas_of(results, "web") == hpas_of(results, "shop/web") == ["shop/web"]


def test_what_a_restart_forgot_is_felt_until_something_higher_is_recommended() -> None:
    """After the restart 8 is held by the first number; alice's 20 is remembered later and holds nothing of it."""
    with _replayed("restarted-and-raised") as results:
        (finding,) = results.rows("from findings where pattern = 'controller_restart_memory'")
        (raised,) = results.rows("from foreign_writes")
    assert finding["last_at"] < raised["ts"]


def test_the_chart_shows_the_replicas_of_the_target_of_that_time() -> None:
    """The HPA got another target with another number, and the first one back: each is drawn while it was scaled."""
    capture = produced()[[path.name for path in produced()].index("vector-target-renamed-0.capture.jsonl.gz")]
    with replayed(watched(facts_of(capture))) as results:
        (hpa,) = account(results).hpas
        drawn = timeline(results, "shop/web", Micros(0))
        read = results.rows("select epoch_us(ts) as us, spec_replicas from reconciles order by ts")
    assert [target for target, _ in hpa.former_targets] == ["Deployment/web", "Deployment/api"]
    steps = [(change.at_us, change.to_replicas) for change in drawn.scales]
    for row in read[1:]:
        before = [replicas for at_us, replicas in steps if at_us < row["us"]]
        # Another HPA or somebody may have written at the same instant.
        assert row["spec_replicas"] in {*before[-1:], *(number for at_us, number in steps if at_us == row["us"])}


@pytest.mark.parametrize("name", ["restarted-and-raised", "hpa-made-again", "memory-at-maximum"])
def test_what_memory_held_is_told_once_with_the_number_that_held(name: str) -> None:
    """A new process remembers two numbers of its first reconcile: the one that it met, and what it recommended."""
    with _replayed(name, detail="moved") as results:
        rows = list(query(results, "which_memory_held_it"))
    assert len(rows) > 5
    assert [row for row in rows if row["recommendation"] != row["stabilized"]] == []
    assert len({(row["name"], row["ts"]) for row in rows}) == len(rows)


def test_a_change_has_no_class_of_another_writer() -> None:
    """Alice wrote three seconds before helm did, both before the next reconcile: by hand, and by a deploy tool."""
    seen = list(facts_of(NAMED / "vector-written-by-each.capture.jsonl.gz"))
    writes = [fact for fact in seen if isinstance(fact, ScaleWritten) and fact.by == "helm" and fact.scale is not None]
    first = replace(writes[0], at_us=Micros(writes[0].at_us - 3 * SECOND), by="alice")
    assert first.scale is not None
    first = replace(first, scale=replace(first.scale, spec_replicas=3))
    at = seen.index(writes[0])
    with replayed([*seen[:at], first, *seen[at:]]) as results:
        told = {(row["writer_name"], row["to_replicas"]): row["class"] for row in results.rows("from changes")}
    assert told["alice", 3] is None
    assert told["helm", 2] == "external_write.deploy_tool"
    assert told["alice", 2] == "external_write.manual"


def test_a_metric_below_its_target_may_ask_for_more() -> None:
    """Pods of others that the selector matches count as well: 8 at half the target are 5, and there were 4."""
    assert of_metric(UNADJUSTED, inside=False, proposal=5, current=4, ratio=0.53) == ABOVE_TARGET
    assert of_metric(UNADJUSTED, inside=False, proposal=3, current=4, ratio=0.53) == BELOW_TARGET


def test_what_the_hpa_wrote_just_before_a_gap_is_told_although_the_number_is_as_before() -> None:
    """It woke from 0 to 4, and alice wrote 0 while nobody looked: the scale is read as 0 before and after."""

    def view(facts: Sequence[Fact]) -> Iterator[Fact]:
        seen = list(outside(facts))
        from_us, until_us = Micros(seen[0].at_us + 558 * SECOND), Micros(seen[0].at_us + 640 * SECOND)
        yield from (fact for fact in seen if fact.at_us < from_us)
        yield Gap(at_us=from_us, until_us=until_us, prefix="*", cause="recorder stopped")
        yield from (fact for fact in seen if fact.at_us >= until_us)

    with _replayed("woken-and-switched-off", view) as results:
        hpa = _told(results)
        findings = results.rows("select verdict from findings where pattern = 'disabled_at_zero'")
    (woke, off) = hpa.changes[-2:]
    assert (woke.writer_class, woke.from_replicas, woke.to_replicas) == ("hpa", 0, 4)
    assert (off.evidence_level, off.from_replicas, off.to_replicas) == ("gap", 4, 0)
    assert not any("pod-autoscaler wrote" in row["verdict"] for row in findings)


def _unread(results: Results) -> list[dict[str, Any]]:
    """The reconciles of the HPA whose scale the controller could not read, as they are told."""
    return results.rows(
        "select verdict, evidence, error from reconciles where reason_code = 'gate.target_unreadable' order by ts"
    )


@pytest.mark.parametrize("view", ["outside", "watched", "no writers"])
def test_a_scale_that_the_controller_could_not_read_is_told_by_its_status(view: str) -> None:
    """The recorder's own watch of the workload went on: that it has a scale does not say that the controller had."""
    name = "scale-read-forbidden"
    without_scale = [row for row in _expected(name) if row.get("spec_replicas") is None]
    with _replayed(name, VIEWS[view], detail="moved") as results:
        unread = _unread(results)
        others = results.sql("select distinct verdict from reconciles").fetchall()
        memories = results.sql("select distinct missing_input from reconciles where verdict <> 'match'").fetchall()
        (finding,) = results.rows("from findings where pattern = 'target_unreadable'")
    assert len(unread) == len(without_scale) == 5
    assert {row["evidence"] for row in unread} == {"proven"}
    assert {row["error"] for row in unread} == {
        "failed to query scale subresource for Deployment/shop/web: deployments/scale is forbidden"
    }
    assert (others, memories) == ([("match",)], [])
    assert "permission" in finding["next_step"]


def test_a_scale_that_the_controller_could_not_read_is_decided_alike_by_the_compiled_rules(tmp_path: Path) -> None:
    facts = list(watched(facts_of(TOLD / "vector-scale-read-forbidden.capture.jsonl.gz")))
    write(tmp_path / "recording", facts, len(facts) + 1)
    both = replayed_twice(tmp_path / "recording", tmp_path)
    assert (both.difference, both.beyond, both.reconciles > 30) == ("", "", True)


@pytest.mark.parametrize(
    ("name", "from_s", "until_s"), [("memory-at-maximum", 405, 480), ("switched-off-twice", 255, 330)]
)
def test_a_write_by_somebody_else_is_over_before_a_gap_that_follows(name: str, from_s: int, until_s: int) -> None:
    """What the HPA wrote in the gap is none of the other's."""
    with _replayed(name, _nobody_looked(from_s, until_s)) as results:
        members = results.sql(
            "select d.class, list(distinct r.class) from divergences as d join reconciles as r using (divergence_id) "
            "group by d.divergence_id, d.class"
        ).fetchall()
    assert "no_data.recording_gap" in {opened for opened, _ in members}
    assert [classes for opened, classes in members] == [[opened] for opened, _ in members]

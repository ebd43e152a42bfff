"""Assumed flags that the real controller was not started with: the setting that explains the difference is named."""

from collections.abc import Iterator, Sequence
from dataclasses import replace as with_fields
from datetime import datetime
from typing import Any

import pytest

from hpaaudit.api.times import duration, whole_seconds
from hpaaudit.flows.query import account
from hpaaudit.model.facts import ControllerSeen, Fact, HpaSeen, LeaseSeen
from hpaaudit.model.timeline import MarkKind
from hpaaudit.model.units import SECOND, Micros
from hpaaudit.report.replay import clock_of, lease_lines, replay_text
from hpaaudit.report.timeline import words_of_mark
from hpaaudit.results.questions import Scope, ask, question_named
from hpaaudit.results.timeline import timeline
from tests.conformance.expected import capture_of
from tests.truth.produced import TOLD
from tests.truth.replayed import replayed
from tests.truth.views import VIEWS, late, middle_us
from tests.truth.worlds import facts_of


def _replayed(world: str, *, is_told: bool) -> tuple[dict[str, int], list[tuple[Any, ...]]]:
    """How often each class occurs, and what explains it. `told`: the recording holds the controller's flags."""
    facts = facts_of(capture_of("1.36", world))

    def shown(fact: Fact) -> Fact:
        return with_fields(fact, flags=(), gates=()) if isinstance(fact, ControllerSeen) and not is_told else fact

    seen = [shown(fact) for fact in VIEWS["outside"](facts)]
    with replayed(seen) as results:
        classes = dict(results.sql("select coalesce(class, verdict), count(*) from reconciles group by 1").fetchall())
        settings = results.sql(
            "select key, value, alternative, differing, explained, broken from sensitivity"
        ).fetchall()
    return classes, settings


@pytest.mark.parametrize(
    ("world", "key", "used", "explaining"),
    [
        ("edges-100-0010", "downscale-stabilization", "300s", "0s"),
        ("legacy-100-0007", "downscale-stabilization", "300s", "60s"),
        ("restart-100-0001", "tolerance", "0.1", "0.2"),
    ],
)
def test_the_setting_that_explains_what_an_assumed_one_does_not_is_named(
    world: str, key: str, used: str, explaining: str
) -> None:
    classes, settings = _replayed(world, is_told=False)
    # All values of the flag that explain as much, the true one among them.
    assert explaining in {alternative for _, _, alternative, *_ in settings}
    for found_key, value, _, differing, explained, broken in settings:
        assert (found_key, value, broken) == (key, used, 0)
        assert explained == differing == classes[f"config.{key.replace('-', '_')}"]
    assert "unexplained" not in classes


def test_where_the_flags_are_known_nothing_is_put_down_to_them() -> None:
    classes, settings = _replayed("restart-100-0001", is_told=True)
    assert settings == []
    assert not any(name.startswith(("config.", "unexplained")) for name in classes)


@pytest.mark.parametrize(
    ("world", "found"),
    [
        ("people-100-0004", [("upscale-delay", "60s", "180s", None)]),
        ("everything-100-0004", [("downscale-delay", "120s", "300s", None)]),
        # Of two wrong delays and a wrong tolerance; another release would explain it too, and was recorded to be none.
        ("common-100-0002", [("upscale-delay", "60s", "180s", "downscale-delay")]),
    ],
)
def test_a_delay_of_an_old_controller_that_was_recorded_wrongly_is_named_and_no_release(
    world: str, found: list[tuple[str, str, str, str | None]]
) -> None:
    facts = facts_of(capture_of("1.9", world))
    with replayed(list(VIEWS["two other flags"](facts))) as results:
        settings = results.sql("select distinct key, value, alternative, also_key from sensitivity").fetchall()
        classes = results.sql("select distinct class from reconciles where class like 'config.%'").fetchall()
    assert settings == found
    assert classes == [(f"config.{found[0][0].replace('-', '_')}",)]


@pytest.mark.parametrize(
    ("recorded", "world", "asked", "undecidable"),
    [
        ("1.20", "common-100-0000", "1.11", set()),
        ("1.20", "vector-surge-130-3-pods", "1.11", set()),
        # 1.36 leaves an HPA at zero replicas alone; 1.13 reads its metrics, of which no answer was recorded.
        ("1.36", "common-100-0004", "1.13", {"no_data.recording_gap"}),
        ("1.36", "vector-bad-metric-selector-external-value", "1.8", set()),
    ],
)
def test_a_what_if_with_another_release_is_explained_by_the_recorded_one(
    recorded: str, world: str, asked: str, undecidable: set[str]
) -> None:
    """Also across 1.12, and where only the conditions tell what was decided."""
    facts = facts_of(capture_of(recorded, world))
    with replayed(facts, release=asked) as results:
        classes = {
            name for (name,) in results.sql("select distinct class from reconciles where class <> ''").fetchall()
        }
        settings = results.sql("select distinct key, value, alternative from sensitivity").fetchall()
        texts = results.sql("select distinct explanation from divergences where class = 'config.release'").fetchall()
        is_what_if = results.sql("select distinct is_what_if from sensitivity").fetchall()
    assert classes == {"config.release"} | undecidable
    [(key, value, alternative)] = settings
    assert (key, value) == ("release", asked)
    assert alternative.startswith(f"{recorded}.")
    told = f"; with release {alternative} (recorded) replay and controller agree"
    assert all(
        text.startswith(f"with release {asked} the controller would ") and text.endswith(told) for (text,) in texts
    )
    assert is_what_if == [(True,)]


def test_two_wrong_settings_are_named_together() -> None:
    facts = facts_of(capture_of("1.36", "calm-100-0002"))
    with replayed(VIEWS["two other flags"](facts)) as results:
        rows = results.rows(
            "select key, value, alternative, also_key, also_value, also_alternative, explained, differing, broken "
            "from sensitivity"
        )
        [step] = {one["next_step"] for one in results.rows("from divergences where class like 'config.%'")}
        [told] = {one["explanation"] for one in results.rows("from divergences where class like 'config.%'")}
        [unexplained] = results.rows("select count(*) as n from reconciles where class = 'unexplained'")
    for row in rows:
        assert (row["key"], row["value"], row["alternative"]) == ("downscale-stabilization", "60s", "300s")
        assert (row["also_key"], row["also_value"]) == ("tolerance", "0.3")
        assert row["explained"] == row["differing"] > 3
        assert row["broken"] == 0
    assert unexplained["n"] == 0
    # The true tolerance is one of several that explain as much: they are named as an interval.
    assert "0.1" in {row["also_alternative"] for row in rows}
    assert "downscale stabilization 300s and tolerance 0 to 0.25 together explain" in told
    assert "replay with --flag downscale-stabilization=300s --flag tolerance=0" in step


def _without_the_restart(world: str) -> list[Fact]:
    facts = facts_of(capture_of("1.36", world))
    restarted_us = [fact.at_us for fact in facts if isinstance(fact, ControllerSeen)][1]
    return [
        fact
        for fact in VIEWS["outside"](facts)
        if not isinstance(fact, LeaseSeen | ControllerSeen) or fact.at_us < restarted_us
    ]


def test_three_wrong_settings_are_named_together_and_each_is_needed() -> None:
    facts = facts_of(capture_of("1.36", "legacy-100-0009"))
    wrong = {"downscale-stabilization": "60s", "tolerance": "0.3", "cpu-initialization-period": "10m0s"}
    flags = {f"horizontal-pod-autoscaler-{name}": value for name, value in wrong.items()}

    def shown(fact: Fact) -> Fact:
        if not isinstance(fact, ControllerSeen):
            return fact
        return with_fields(fact, flags=tuple(({**dict(fact.flags), **flags}).items()))

    with replayed(list(map(shown, VIEWS["outside"](facts)))) as results:
        rows = results.rows("from sensitivity")
        [step] = {one["next_step"] for one in results.rows("from divergences where class like 'config.%'")}
        [told] = {one["explanation"] for one in results.rows("from divergences where class like 'config.%'")}
        answer = ask(results, question_named("which_other_setting_fits"), Scope()).fetchall()
    [true] = (fact for fact in facts if isinstance(fact, ControllerSeen))
    for row in rows:
        found = {row[f"{which}key"]: row[f"{which}alternative"] for which in ("", "also_", "third_")}
        assert {f"horizontal-pod-autoscaler-{key}" for key in found} == set(flags)
        assert duration(found["cpu-initialization-period"]) == duration(
            dict(true.flags)["horizontal-pod-autoscaler-cpu-initialization-period"]
        )
        assert row["explained"] == row["differing"] > 3
        assert row["broken"] == 0
    values = {(row["key"], row["alternative"]) for row in rows} | {
        (row["third_key"], row["third_alternative"]) for row in rows
    }
    assert ("tolerance", "0.2") in values | {(row["also_key"], row["also_alternative"]) for row in rows}
    assert " together explain 7 of 7 reconciles that " in told
    assert step.count("--flag ") == 3
    assert all(line[-1].count(",") == 1 for line in answer)


def test_a_restart_that_the_lease_rules_out_explains_nothing() -> None:
    """A process adds a new name to that of its host: the holder before and after is one process."""
    seen = _without_the_restart("restart-100-0006")
    holder = "host_0ce9444d-ab86-475d-8acb-3eb036397348"
    times = range(seen[0].at_us, seen[-1].at_us, 10 * SECOND)
    leases = [
        LeaseSeen(
            at_us=Micros(at_us), namespace="kube-system", name="kube-controller-manager", holder=holder,
            acquired_us=seen[0].at_us, renewed_us=Micros(at_us), transitions=0,
        )
        for at_us in times
    ]  # fmt: skip
    with replayed(sorted([*seen, *leases], key=lambda fact: fact.at_us)) as results:
        assert results.rows("from sensitivity where key = 'restart'") == []
        assert results.rows("from reconciles where class like 'memory.%'") == []


def test_a_restart_that_explains_a_single_reconcile_is_not_known() -> None:
    with replayed(_without_the_restart("restart-100-0013")) as results:
        verdicts = results.rows("select distinct verdict, class, missing_input from reconciles where class <> ''")
        [row] = results.rows("select key, explained from sensitivity where key = 'restart'")
    assert row["explained"] == 1
    undecidable = {"verdict": "undecidable", "class": "no_data.object_unseen", "missing_input": "controller.unseen"}
    assert undecidable in verdicts
    assert {row["verdict"] for row in verdicts} == {"skew", "undecidable"}


def test_a_restart_that_nobody_recorded_is_tried_before_other_settings() -> None:
    with replayed(_without_the_restart("restart-100-0006")) as results:
        classes = {row["class"] for row in results.rows("select class from reconciles where verdict = 'divergent'")}
        [row] = results.rows("select key, alternative, explained, differing from sensitivity")
        [told] = {one["explanation"] for one in results.rows("from divergences where class like 'memory.%'")}
    assert classes == {"memory.controller_restart"}
    assert (row["key"], row["explained"]) == ("restart", row["differing"])
    assert told.startswith(f"a restart at about {row['alternative']}, which was not recorded, explains ")


def test_a_restart_that_would_forget_what_the_replay_alone_remembers_is_not_known() -> None:
    """Somebody wrote between a read of the scale and the HPA's write, and the HPA's status was shown far too late."""
    facts = facts_of(TOLD / "vector-conflicts-and-retries.capture.jsonl.gz")
    with replayed(late(HpaSeen, late_us=6 * SECOND)(facts)) as results:
        classes = {row["class"] for row in results.rows("select class from reconciles where class is not null")}
        [row] = results.rows("select key, explained, differing from sensitivity")
        odd = results.rows("select verdict, missing_input from reconciles where class = 'no_data.object_unseen'")
    assert row == {"key": "restart", "explained": 2, "differing": 2}
    assert not any(name.startswith("memory.") for name in classes)
    assert odd == [{"verdict": "undecidable", "missing_input": "controller.unseen"}] * 2


def test_a_restart_and_a_setting_together_explain_what_neither_does() -> None:
    facts = facts_of(capture_of("1.36", "restart-100-0006"))
    with replayed(VIEWS["nothing of the controller"](facts)) as results:
        classes = {row["class"] for row in results.rows("select class from reconciles where verdict = 'divergent'")}
        [row] = results.rows("select key, alternative, also_key, also_alternative, broken from sensitivity")
        [told] = results.rows("select distinct explanation, next_step from divergences where class like 'memory.%'")
    restarted_us = [fact.at_us for fact in facts if isinstance(fact, ControllerSeen)][-1]
    assert classes == {"memory.controller_restart"}
    assert row == {
        "key": "restart", "alternative": whole_seconds(restarted_us + 10 * SECOND), "broken": 0,
        "also_key": "downscale-stabilization", "also_alternative": "60s",
    }  # fmt: skip
    assert "and downscale stabilization 60s together explain 31 of 31 reconciles" in told["explanation"]
    assert told["next_step"].endswith("replay with --flag downscale-stabilization=60s")


def test_what_other_settings_explain_in_one_reconcile_alone_is_not_known() -> None:
    facts = facts_of(capture_of("1.19", "common-100-0000"))
    with replayed(VIEWS["minimal rights"](facts)) as results:
        [row] = results.rows("select desired, decided, verdict, missing_input from reconciles where verdict <> 'match'")
    assert row == {"desired": 4, "decided": 3, "verdict": "undecidable", "missing_input": "controller.unseen"}


def test_a_recorded_setting_excuses_nothing_and_what_contradicts_it_is_named() -> None:
    facts = facts_of(capture_of("1.19", "common-100-0000"))
    with replayed(VIEWS["two other flags"](facts)) as results:
        [row] = results.rows("select desired, decided, verdict, class from reconciles where verdict <> 'match'")
        [told] = results.rows("select explanation from divergences where class = 'unexplained'")
        [setting] = results.rows("from sensitivity")
    assert row == {"desired": 4, "decided": 3, "verdict": "divergent", "class": "unexplained"}
    assert setting["is_recorded"]
    other = f"tolerance {setting['alternative']} and downscale stabilization {setting['also_alternative']}"
    recorded = f"{setting['value']} and {setting['also_value']}"
    assert told["explanation"].endswith(f"; {other} would explain it, but the recording says {recorded}")


@pytest.mark.parametrize(
    ("release", "world", "known"), [("1.33", "common-100-0002", True), ("1.36", "zero-100-0016", False)]
)
def test_a_sync_period_longer_than_the_assumed_one_is_named(release: str, world: str, *, known: bool) -> None:
    """Samples are renewed as seldom: recommendations of invented reconciles hold what the controller never held."""
    facts = facts_of(capture_of(release, world))
    with replayed(VIEWS["no sync period"](facts)) as results:
        odd = results.rows("select distinct class, missing_input from reconciles where desired <> decided")
        told = {one["explanation"] for one in results.rows("from divergences where explanation like '%sync period%'")}
        [row] = results.rows("select key, value, alternative, explained, differing, broken from sensitivity")
        steps = {one["next_step"] for one in results.rows("from divergences where explanation like '%sync period%'")}
    explained = row.pop("explained")
    assert row == {"key": "sync-period", "value": "15s", "alternative": "30s", "differing": explained, "broken": 0}
    assert {one["class"] for one in odd} >= {"config.sync_period" if known else "no_data.object_unseen"}
    assert known or odd == [{"class": "no_data.object_unseen", "missing_input": "controller.sync_period"}]
    assert [text for text in told if f"sync period 30s explains {explained} of {explained} reconciles" in text]
    assert steps == {"look at the flags of the controller; replay with --flag sync-period=30s"}


def test_what_hangs_on_an_inferred_reconcile_that_may_not_have_taken_place_is_undecidable() -> None:
    """The recorded sync period is half the true one: every second inferred reconcile never took place."""
    facts = facts_of(capture_of("1.36", "zero-100-0016"))

    def shown(fact: Fact) -> Fact:
        if not isinstance(fact, ControllerSeen):
            return fact
        return with_fields(
            fact, flags=tuple((name, "15s" if "sync-period" in name else value) for name, value in fact.flags)
        )

    with replayed(map(shown, VIEWS["outside"](facts))) as results:
        odd = results.rows("select distinct verdict, missing_input from reconciles where desired <> decided")
        told = {one["explanation"] for one in results.rows("from divergences where next_step like '%at these times'")}
        inferred = {row["ts"] for row in results.rows("select ts from reconciles where at_source = 'grid'")}
    assert odd == [{"verdict": "undecidable", "missing_input": "reconcile.unsure"}]
    [text] = told
    start, _, times = text.partition(", inferred for ")
    assert start == "unknown: whether earlier reconciles that left no trace took place"
    assert {datetime.fromisoformat(time).replace(tzinfo=None) for time in times.split(", ")} <= {
        ts.replace(microsecond=0) for ts in inferred
    }


def test_a_lease_of_another_program_takes_no_memory_away() -> None:
    facts = facts_of(capture_of("1.36", "slow-100-0005"))
    with replayed(VIEWS["a strange Lease"](facts)) as results:
        classes = {row["class"] for row in results.rows("select class from reconciles where verdict <> 'match'")}
    assert classes == {"memory.other_lease"}


PROCESS = "node_2f1c7a52-3d0f-4b8e-9f64-1a2b3c4d5e6f"


def _given_back(facts: Sequence[Fact], holder: str) -> Iterator[Fact]:
    """Another program takes the Lease in the middle for three renewals, while the controller goes on."""
    half_us = middle_us(list(VIEWS["outside"](facts)))
    for fact in VIEWS["alive"](facts):
        if isinstance(fact, LeaseSeen):
            is_taken = half_us < fact.at_us <= half_us + 45 * SECOND
            yield with_fields(fact, holder="program" if is_taken else holder)
        else:
            yield fact


@pytest.mark.parametrize(("holder", "classes", "restarts"), [(PROCESS, set(), 0), ("node", {"memory.other_lease"}, 2)])
def test_a_process_that_comes_back_to_its_lease_has_forgotten_nothing(
    holder: str, classes: set[str], restarts: int
) -> None:
    """A host's name alone may be that of a new process: then the audit says what explains its decisions."""
    with replayed(_given_back(facts_of(capture_of("1.36", "slow-100-0005")), holder)) as results:
        told = {row["class"] for row in results.rows("select class from reconciles where verdict <> 'match'")}
        epochs = results.rows("select other_holders is not null as is_taken from controller_epochs order by epoch_id")
        memory = results.rows("from findings where pattern = 'controller_restart_memory'")
    assert told == classes
    assert len(epochs) == 2 + restarts  # its start was recorded too
    assert any(row["is_taken"] for row in epochs) == (not restarts)
    assert restarts or memory == []


def test_the_page_and_the_timeline_say_who_else_held_the_lease() -> None:
    facts = list(_given_back(facts_of(capture_of("1.36", "slow-100-0005")), PROCESS))
    taken = [fact.at_us for fact in facts if isinstance(fact, LeaseSeen) and fact.holder == "program"]
    after = next(fact.at_us for fact in facts if isinstance(fact, LeaseSeen) and fact.at_us > taken[-1])
    with replayed(facts) as results:
        page = account(results)
        drawn = timeline(results, f"{page.hpas[0].namespace}/{page.hpas[0].name}", page.ended_us)
    [mark] = [mark for mark in drawn.marks if mark.kind == MarkKind.LEASE]
    assert page.lease_holders == (("program", taken[0], after),)
    clock = clock_of(page)
    [line] = lease_lines(page)
    assert " ".join(line.split()) == (
        f"also held the Lease of the controller: program from {clock(taken[0])} to {clock(after)}; "
        "the controller went on and forgot nothing"
    )
    assert line in replay_text(page)
    assert (mark.at_us, mark.until_us) == (taken[0], after)
    assert words_of_mark(mark) == "program held the Lease of the controller, which went on and forgot nothing"


def test_silence_alone_is_put_down_to_no_setting() -> None:
    """A controller that hangs while nothing changes; a release that would have done nothing explains that as well."""
    facts = facts_of(capture_of("1.36", "slow-100-0005"))
    with replayed(VIEWS["hung while nothing changes"](facts)) as results:
        rows = results.rows(
            "select verdict, missing_input, count(*) as n from reconciles where desired <> decided group by all"
        )
        told = results.rows(
            "select distinct confidence, explanation from divergences where class = 'no_data.object_unseen'"
        )
        assert results.rows("from sensitivity") == []
    assert {row["verdict"] for row in rows} == {"undecidable"}
    assert sum(row["n"] for row in rows if row["missing_input"] == "reconcile.unseen") > 10
    words = "unknown: whether the HPA was reconciled then, or with other settings: no status was written"
    assert told == [{"confidence": "undecidable", "explanation": words}]


def test_an_hpa_that_was_made_anew_is_explained_as_well_and_has_no_changes_of_the_old_one() -> None:
    facts = facts_of(capture_of("1.20", "common-100-0015"))
    with replayed(VIEWS["two other flags"](facts)) as results:
        classes = {row["class"] for row in results.rows("select class from reconciles where verdict = 'divergent'")}
        uids = results.rows("select distinct hpa_uid from hpas")
        early = results.rows(
            "select * from scale_events as e join hpas as h using (hpa_uid) where e.at_hi < h.created_at"
        )
        others = results.rows("from scale_events where writer_class = 'autoscaler'")
    assert len(uids) == 2
    assert classes == {"config.tolerance"}
    assert early == others == []


def test_where_nothing_of_the_controller_was_recorded_what_its_settings_may_explain_is_undecidable() -> None:
    facts = facts_of(capture_of("1.36", "everything-100-0011"))
    with replayed(VIEWS["nothing of the controller"](facts)) as results:
        classes = {row["class"] for row in results.rows("select class from reconciles where verdict = 'divergent'")}
    assert "unexplained" not in classes

"""Classes that need a special mishap: what the real controller met is named as what it was."""

from pathlib import Path

import pytest

from hpaaudit.model.units import SECOND
from hpaaudit.results.read import Results
from tests.conformance.expected import capture_of, name_of
from tests.sample import one_in
from tests.truth.judged import judged, judged_in
from tests.truth.produced import FOLDER, produced
from tests.truth.replayed import replayed
from tests.truth.views import VIEWS
from tests.truth.worlds import facts_of, truth_of

ADMITTED = [path for path in produced() if "admission" in path.name]
RENAMED = [path for path in produced() if "renamed" in path.name]
CLASSES = "select class, count(*) from reconciles where class is not null group by class"


def _classes(results: Results) -> dict[str, int]:
    return dict(results.sql(CLASSES).fetchall())


@pytest.mark.parametrize("world", ADMITTED, ids=name_of)
@pytest.mark.parametrize("view", ["whole", "watched"])
def test_another_number_than_the_hpa_wrote_is_said_to_be_stored(world: Path, view: str) -> None:
    facts = facts_of(world)
    changed = sum(one.asked != one.stored is not None for one in truth_of(world, facts).decided)
    with replayed(VIEWS[view](facts)) as results:
        classes = _classes(results)
    # Nobody looks at the target after the last reconcile.
    assert set(classes) == {"write_mutated.admission"}
    assert changed - 1 <= classes["write_mutated.admission"] <= changed


@pytest.mark.parametrize("world", ADMITTED, ids=name_of)
def test_the_explanation_of_a_divergence_holds_for_each_of_its_reconciles(world: Path) -> None:
    """It is shown beside each of them: a number of the first one alone would be that of another reconcile."""
    with replayed(VIEWS["watched"](facts_of(world))) as results:
        told = results.rows(
            "select explanation, list(r.desired order by r.ts) as wrote, list(r.actual order by r.ts) as stored "
            "from divergences as d join reconciles as r using (divergence_id) group by d.divergence_id, explanation"
        )
    assert told
    for one in told:
        wrote, stored = (_range(one[numbers]) for numbers in ("wrote", "stored"))
        assert one["explanation"] == f"the HPA wrote {wrote}, and {stored} was stored: admission changed the number"


def _range(numbers: list[int]) -> str:
    return f"{min(numbers)}" if len(set(numbers)) == 1 else f"{min(numbers)} to {max(numbers)}"


@pytest.mark.parametrize("world", ADMITTED, ids=name_of)
def test_where_nobody_watched_the_workload_it_is_unknown_who_changed_the_number(world: Path) -> None:
    with replayed(VIEWS["outside"](facts_of(world))) as results:
        classes = _classes(results)
        settings = results.sql("from sensitivity").fetchall()
        texts = results.sql("select distinct split_part(explanation, 'unknown: ', 2) from divergences").fetchall()
    assert set(classes) == {"no_data.object_unseen"}
    assert settings == []
    assert texts == [("whether admission changed what the HPA wrote, or somebody wrote afterwards",)]


@pytest.mark.parametrize("world", RENAMED, ids=name_of)
@pytest.mark.parametrize("view", ["whole", "outside", "watched", "no writers"])
def test_of_two_targets_in_turn_each_shows_only_what_happened_to_it_while_the_hpa_scaled_it(
    world: Path, view: str
) -> None:
    facts = facts_of(world)
    written = truth_of(world, facts).written
    with replayed(VIEWS[view](facts)) as results:
        changes = results.rows(
            "select e.from_replicas, e.to_replicas, e.writer_class, s.target_name, "
            "epoch_us(e.at_lo) as lo_us, epoch_us(e.at_hi) as hi_us from scale_events as e "
            "asof join hpa_specs as s on s.hpa_uid = e.hpa_uid and e.at_lo >= s.valid_from where e.source = 'actual'"
        )
        classes = _classes(results)
        missed = results.rows("from scale_event_matches where shape = 'missing' and verdict = 'divergent'")
    before: dict[str, int] = {}
    true: dict[tuple[str, int | None, int, int], str] = {}
    for one in written:
        true[one.target.name, before.get(one.target.name), one.replicas, one.at_us] = one.writer
        before[one.target.name] = one.replicas
    assert len(changes) >= len(written) - 2
    for change in changes:
        [writer] = [
            writer
            for (name, from_replicas, to_replicas, at_us), writer in true.items()
            if (name, to_replicas) == (change["target_name"], change["to_replicas"])
            and change["from_replicas"] in (from_replicas, {"web": 3, "api": 6}[name])
            and change["lo_us"] - SECOND <= at_us <= change["hi_us"]
        ]
        assert (change["writer_class"] == "hpa") == (writer == "shop/web")
    # Bob's write alone: Alice wrote to a target that the HPA did not scale then.
    assert classes in ({"external_write.manual": 1}, {"external_write.unknown": 1})
    assert missed == []


@pytest.mark.parametrize("view", ["whole", "outside", "watched"])
def test_pods_that_a_quota_keeps_away_are_missed_and_only_those(view: str) -> None:
    classes = {}
    for world in produced():
        with replayed(VIEWS[view](facts_of(world))) as results:
            rows = results.sql("from findings select verdict where pattern = 'pods_not_created'").fetchall()
            classes[name_of(world)] = [text for (text,) in rows]
    quota = [text for name, texts in classes.items() if "quota" in name for text in texts]
    assert quota == ["the target was scaled to 7, and only 3 pods were made"]
    assert sum(map(len, classes.values())) == 1


@pytest.mark.parametrize("world", produced(), ids=name_of)
def test_nothing_false_is_said_of_these_worlds(world: Path) -> None:
    judgements = judged_in(world, one_in(2, list(VIEWS), produced().index(world))).values()
    assert [text for one in judgements for text in (*one.wrong, *one.headlines)] == []


def test_the_worlds_are_there() -> None:
    assert len(produced()) == len(list(FOLDER.glob("*.expected.jsonl.gz"))) > len(ADMITTED) > 2


def _world(release: str, name: str) -> Path:
    return capture_of(release, name)


@pytest.mark.parametrize("view", ["outside", "no writers"])
def test_a_write_of_a_number_below_zero_is_refused_and_said_so(view: str) -> None:
    facts = facts_of(_world("1.33", "vector-limit-wraps-without-behavior"))
    with replayed(VIEWS[view](facts)) as results:
        assert _classes(results) == {"write_failed.api_error": 6}


def test_a_write_that_only_its_event_shows_is_a_write_and_so_is_the_next_one() -> None:
    with replayed(VIEWS["outside"](facts_of(_world("1.36", "vector-pods-limit-wraps-below")))) as results:
        assert _classes(results) == {"external_write.manual": 1}
        changes = (
            "select from_replicas, to_replicas, writer_class from scale_events where source = 'actual' order by at_hi"
        )
        assert results.sql(changes).fetchall() == [(2, 12, "hpa"), (12, 2, "person"), (2, 12, "hpa")]


def test_a_reconcile_that_still_fails_is_not_said_to_be_missed() -> None:
    """Its conditions are in an annotation of autoscaling/v1, and name the kind that nobody serves. The HPA was new."""
    with replayed(VIEWS["minimal rights"](facts_of(_world("1.12", "vector-target-mended")))) as results:
        assert _classes(results) == {}
        assert results.sql("select count(*) from reconciles where reason_code like 'gate.%'").fetchall() != [(0,)]


def test_silence_is_no_missed_reconcile_where_the_last_status_was_not_understood() -> None:
    """Another release is assumed than the one that decided."""
    assert judged(_world("1.28", "common-100-0003"), "minimal rights").wrong == []


@pytest.mark.parametrize("view", ["dead", "hung"])
def test_a_failure_that_was_published_long_ago_says_nothing_of_later_writes(view: str) -> None:
    assert judged(_world("1.19", "vector-limit-wraps-without-behavior"), view).wrong == []


def test_a_reconcile_just_before_a_new_process_took_over_is_said_not_to_have_taken_place() -> None:
    with replayed(VIEWS["restarts by the Lease"](facts_of(_world("1.36", "restart-100-0014")))) as results:
        assert _classes(results) == {"not_run.controller_restart": 2}


@pytest.mark.parametrize("view", ["outside", "watched", "no writers"])
def test_of_several_statuses_at_one_instant_the_one_of_the_write_counts(view: str) -> None:
    """Controllers of 1.2 to 1.5 reconciled again at once, and published the number from before."""
    judgement = judged(_world("1.4", "vector-up-window-149"), view)
    assert judgement.reconciles > 3
    assert judgement.wrong == []

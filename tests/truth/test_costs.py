"""Pod-minutes are those of the target while it is there, counted a second time from what was stored of its scale."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from hpaaudit.flows.query import account
from hpaaudit.model.facts import Fact, ScaleRead, ScaleWritten
from hpaaudit.model.units import SECOND, Micros
from hpaaudit.report.replay import clock_of
from hpaaudit.report.verdict import verdict
from hpaaudit.results.questions import Scope, ask, questions
from tests.conformance.expected import capture_of, captures, name_of
from tests.sample import one_in
from tests.truth.produced import TOLD
from tests.truth.replayed import replayed
from tests.truth.views import VIEWS
from tests.truth.worlds import facts_of

EVERY = 48
REMADE = [TOLD / f"vector-{name}.capture.jsonl.gz" for name in ("target-made-again", "target-replaced")]
"""Worlds whose target is deleted, and made again 100 s or half a second later."""
NOT_FOUND = 404


def _pod_minutes(facts: Sequence[Fact], name: str, since_us: Micros, until_us: Micros) -> float:
    """The replicas of a target over time, from the controller's own reads and all writes; none while it is gone."""
    seen: list[tuple[Micros, int]] = []
    for fact in facts:
        if isinstance(fact, ScaleRead | ScaleWritten) and fact.target.name == name:
            if fact.scale is not None:
                seen.append((fact.at_us, fact.scale.spec_replicas))
            elif isinstance(fact, ScaleRead) and fact.status == NOT_FOUND:
                seen.append((fact.at_us, 0))
    # Before it was read first it had the same number.
    seen = [(since_us, seen[0][1]), *((at_us, number) for at_us, number in seen if at_us >= since_us)]
    ends = [*(at_us for at_us, _ in seen[1:]), until_us]
    total = sum(number * (end_us - at_us) for (at_us, number), end_us in zip(seen, ends, strict=True))
    return total / (60 * SECOND)


@pytest.mark.parametrize("world", [*REMADE, *one_in(EVERY, captures("1.36"))], ids=name_of)
def test_pod_minutes_are_those_of_the_target_while_it_is_there(world: Path) -> None:
    facts = facts_of(world)
    with replayed(list(VIEWS["outside"](facts))) as results:
        rows = ask(results, questions()["what_did_it_cost"], Scope()).fetchall()
        since_us, until_us = results.span
        begun = results.rows("""
            select name, any_value(target_name) as target, min(epoch_us(ts)) as at_us
            from effects
            join (select hpa_uid, any_value(target_name) as target_name from hpa_specs group by hpa_uid) using (hpa_uid)
            group by hpa_uid, name
        """)
    assert begun
    for one in begun:
        counted = _pod_minutes(facts, one["target"], max(since_us, one["at_us"]), until_us)
        assert [row[2] for row in rows if row[1] == one["name"]] == [pytest.approx(counted, abs=0.06)]


def _cut_before_the_end(facts: Sequence[Fact]) -> Iterator[Fact]:
    """The same with somebody who scales the target to 1 ten seconds before it is found to be gone."""
    gone_us = next(fact.at_us for fact in facts if isinstance(fact, ScaleRead) and fact.status == NOT_FOUND)
    reads = [fact for fact in facts if isinstance(fact, ScaleRead) and fact.at_us < gone_us]
    last = reads[-1]
    assert last.scale is not None
    cut = ScaleWritten(
        at_us=Micros(gone_us - 10 * SECOND), took_us=Micros(0), target=last.target, path="", verb="patch", status=200,
        error="", by="alice", agent="", manager="", sent=1, resource_version="",
        scale=replace(last.scale, spec_replicas=1),
    )  # fmt: skip
    yield from sorted([*facts, cut], key=lambda fact: fact.at_us)


def test_what_somebody_wrote_before_the_target_was_deleted_costs_nothing_afterwards() -> None:
    facts = list(_cut_before_the_end(facts_of(REMADE[0])))
    with replayed(list(VIEWS["outside"](facts))) as results:
        told = account(results)
    write, remade = told.hpas[0].foreign_writes
    assert (write.is_gone, remade.is_gone, remade.is_remade) == (True, False, True)
    assert write.missing_pod_s == pytest.approx((write.from_replicas - 1) * 10)
    words = verdict(told.hpas[0], clock_of(told))
    assert f"alice wrote {write.from_replicas} -> 1; the HPA did not undo that before the target was gone;" in words


def test_where_no_metrics_were_recorded_the_pods_that_ran_are_known_all_the_same() -> None:
    """How many the metrics asked for, and whether the HPA was blind, is not."""
    facts = facts_of(capture_of("1.36", "calm-100-0002"))
    with replayed(list(VIEWS["no metrics"](facts))) as results:
        asked = ask(results, questions()["what_did_it_cost"], Scope(since_us=results.span[0] + 60 * SECOND))
        assert results.rows("select * from reconciles where class = 'no_data.recording_gap'")
        [row] = [dict(zip(asked.columns, row, strict=True)) for row in asked.fetchall()]
    assert row["pod_minutes"] > 0
    assert (row["short_pod_minutes"], row["blind_minutes"]) == (None, None)

"""Pod-minutes are those of the target while it is there, counted a second time from what was stored of its scale."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from hpaaudit.model.facts import Fact, ScaleRead, ScaleWritten
from hpaaudit.model.units import SECOND, Micros
from hpaaudit.results.questions import Scope, ask, questions
from tests.conformance.expected import captures, name_of
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

"""Worlds of 1.1 to 1.5 as somebody outside sees them: the reconciles that the real controller made are planned."""

from collections import defaultdict
from pathlib import Path

import pytest

from hpaaudit.api.times import micros
from hpaaudit.engine.replay.plan import plan
from hpaaudit.engine.replay.process import Process, replay
from hpaaudit.model.flags import Flags
from hpaaudit.model.units import SECOND
from tests.conformance.decisions import facts_of, flags_of
from tests.conformance.expected import captures, expected_of, name_of
from tests.truth.views import outside

NEAR_US = 5 * SECOND
END_US = 31 * SECOND
"""So near the end of a recording nothing is inferred."""


def _compared(capture: Path) -> tuple[int, int, int]:
    """How many reconciles the controller made, how many of them are planned, and how many of these write alike."""
    seen = list(outside(facts_of(capture)))
    planned = plan(seen, None)
    process = Process(planned, Flags(), flags_of, keep_pods=False)
    ours = defaultdict(list)
    for each in replay(seen, planned, process, ()):
        ours[f"{each.decision.namespace}/{each.decision.name}"].append(each)
    made = found = alike = 0
    for row in expected_of(capture):
        at_us, waiting = micros(row["at"]), ours[row["hpa"]]
        if row.get("gone") or at_us > seen[-1].at_us - END_US:
            continue
        made += 1
        while waiting and waiting[0].instant.at_us < at_us - NEAR_US:
            waiting.pop(0)
        if waiting and waiting[0].instant.at_us <= at_us + NEAR_US:
            puts, attempts = row.get("scale_puts") or [{"to": None}], waiting.pop(0).decision.attempts
            found += 1
            alike += puts[-1]["to"] == (attempts[-1].to if attempts else None)
    return made, found, alike


@pytest.mark.parametrize("release", ["1.2", "1.4", "1.5"])
def test_nearly_every_reconcile_is_planned_and_decided_alike(release: str) -> None:
    """Exactly where a reconcile took place cannot be seen: what cannot is less than one in twenty."""
    world_paths = [
        path for path in captures(release) if name_of(path).startswith(("common", "vector-up", "vector-down"))
    ]
    made, found, alike = (sum(counts) for counts in zip(*map(_compared, world_paths), strict=True))
    assert made > 200
    assert found > 0.95 * made
    assert alike > 0.97 * found

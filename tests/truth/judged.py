"""What our verdicts make of a world, and which of them are wrong."""

import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hpaaudit.flows.replay import replay
from hpaaudit.model.units import SECOND
from tests.conformance.expected import name_of
from tests.fleet.chance import write
from tests.truth.worlds import VIEWS, Truth, facts_of, truth_of

NEAR_US = 1_500_000
"""A status is published so soon after its reconcile decided."""
UNEXPLAINED = "unexplained"


@dataclass
class Judged:
    """Verdicts of some worlds: how many of each class, how many claims were checked, and each that is wrong."""

    classes: Counter[tuple[str, str]] = field(default_factory=Counter)
    proven: int = 0
    changes: int = 0
    named: int = 0
    wrong: list[str] = field(default_factory=list)
    unexplained: list[str] = field(default_factory=list)

    @property
    def reconciles(self) -> int:
        """All that were judged."""
        return self.classes.total()

    def add(self, other: "Judged") -> None:
        """Take the verdicts of other worlds in."""
        self.classes += other.classes
        self.proven += other.proven
        self.changes += other.changes
        self.named += other.named
        self.wrong += other.wrong
        self.unexplained += other.unexplained


def judged(capture: Path, view: str) -> Judged:
    """Replay what a view shows of a world; hold every verdict to the truth."""
    facts = facts_of(capture)
    truth = truth_of(capture, facts)
    shown = list(VIEWS[view](facts))
    judgement = Judged()
    if not shown:
        return judgement
    where = f"{capture.parent.name} {name_of(capture)} {view}"
    with tempfile.TemporaryDirectory() as folder:
        recording = Path(folder) / "recording"
        write(recording, shown, len(shown) + 1)
        results = replay(recording, detail="numbers")
        reconciles, changes = _rows(results, _RECONCILES), _rows(results, _CHANGES)
        results.close()
    for row in reconciles:
        judgement.classes[row["verdict"], row["class"] or ""] += 1
        if row["class"] == UNEXPLAINED:
            judgement.unexplained.append(f"{where}: {row}")
        if row["evidence"] == "proven" and row["verdict"] == "match":
            judgement.proven += 1
            judgement.wrong += _wrong_numbers(where, truth, row)
    for row in changes:
        judgement.changes += 1
        if row["writer_class"] != "unknown":
            judgement.named += 1
            judgement.wrong += _wrong_writers(where, truth, row)
    return judgement


_RECONCILES = """
select epoch_us(ts) as at_us, namespace || '/' || name as hpa, desired, decided, actual, verdict, class, evidence,
    reason_code
from reconciles
order by reconcile_id
"""

_CHANGES = """
select
    e.namespace || '/' || e.name as hpa, h.target_kind, h.target_name,
    epoch_us(at_lo) as lo_us, epoch_us(at_hi) as hi_us, from_replicas, to_replicas,
    writer_class, writer_name, evidence_level
from scale_events as e
join hpas as h using (hpa_uid)
where source = 'actual'
order by at_hi
"""


def _rows(results: Any, question: str) -> list[dict[str, Any]]:
    relation = results.sql(question)
    return [dict(zip(relation.columns, row, strict=True)) for row in relation.fetchall()]


def _wrong_numbers(where: str, truth: Truth, row: dict[str, Any]) -> Iterator[str]:
    """A match with proven inputs whose number no reconcile of that time wanted."""
    near = [one for one in truth.decided if one.hpa == row["hpa"] and abs(one.at_us - row["at_us"]) <= NEAR_US]
    wanted = {number for one in near for number in one.wanted}
    if near and row["desired"] is not None and row["desired"] not in wanted:
        yield f"{where}: proven, and the controller wanted {wanted}: {row}"


def _wrong_writers(where: str, truth: Truth, row: dict[str, Any]) -> Iterator[str]:
    """A change whose writer is named, and was another one."""
    near = [
        one
        for one in truth.written
        if one.target.name == row["target_name"]
        and one.replicas == row["to_replicas"]
        and row["lo_us"] - SECOND <= one.at_us <= row["hi_us"] + SECOND
    ]
    if not near:
        return
    if row["writer_class"] == "hpa":
        right = any(one.by_hpa and one.writer == row["hpa"] for one in near)
    elif row["writer_class"] == "autoscaler":
        right = any(one.writer == row["writer_name"] for one in near)
    else:
        right = any(not one.by_hpa for one in near)
    if not right:
        yield f"{where}: {sorted({one.writer for one in near})} wrote it: {row}"

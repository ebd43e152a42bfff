"""What our verdicts make of a world, and which of them are wrong."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from hpaaudit.api.flags import short_name
from hpaaudit.api.times import duration
from hpaaudit.flows.other_settings import VALUES
from hpaaudit.model.facts import ControllerSeen, Fact, LeaseSeen
from hpaaudit.model.units import SECOND
from hpaaudit.results.read import Results
from tests.conformance.expected import name_of
from tests.report.faithful import broken_headlines
from tests.truth.replayed import replayed
from tests.truth.views import HALTED, VIEWS, middle_us
from tests.truth.worlds import Truth, Written, facts_of, truth_of

NEAR_US = 1_500_000
"""A status is published so soon after its reconcile decided."""
UNEXPLAINED = "unexplained"
Rows = list[dict[str, Any]]
DURATIONS = {
    "downscale-stabilization": "5m0s",
    "initial-readiness-delay": "30s",
    "cpu-initialization-period": "5m0s",
    "upscale-delay": "3m0s",
    "downscale-delay": "5m0s",
}
"""The flags that a replay may assume, with their defaults."""


@dataclass
class Judged:
    """Verdicts of some worlds: how many of each class, how many claims were checked, and each that is wrong.

    false      how many verdicts of each class were wrong
    headlines  those that claim more than their reconciles show
    """

    worlds: int = 0
    classes: Counter[tuple[str, str]] = field(default_factory=Counter)
    false: Counter[tuple[str, str]] = field(default_factory=Counter)
    proven: int = 0
    changes: int = 0
    named: int = 0
    wrong: list[str] = field(default_factory=list)
    unexplained: list[str] = field(default_factory=list)
    headlines: list[str] = field(default_factory=list)

    @property
    def reconciles(self) -> int:
        """All that were judged."""
        return self.classes.total()

    def add(self, other: "Judged") -> None:
        """Takes the verdicts of other worlds in."""
        self.worlds += other.worlds
        self.classes += other.classes
        self.false += other.false
        self.proven += other.proven
        self.changes += other.changes
        self.named += other.named
        self.wrong += other.wrong
        self.unexplained += other.unexplained
        self.headlines += other.headlines


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """What a replay tells: its reconciles, the changes of the replicas, and the headlines that claim too much."""

    reconciles: Rows
    changes: Rows
    headlines: list[str]


def judged(capture: Path, view: str) -> Judged:
    """Replays what a view shows of a world; holds every verdict to the truth."""
    return judged_in(capture, (view,))[view]


def judged_as_shown(where: str, truth: Truth, shown: Sequence[Fact]) -> Judged:
    """The same of facts that somebody else shows of a world."""
    return _judged(where, truth, shown, _replayed(shown))


def judged_in(capture: Path, views: Sequence[str]) -> dict[str, Judged]:
    """The same of several views, by view. The world is read once, and what two views show alike is replayed once."""
    facts = facts_of(capture)
    truth = truth_of(capture, facts)
    before: list[tuple[list[Fact], Replayed]] = []
    judgements = {}
    for view in views:
        shown = list(VIEWS[view](facts))
        same = next((one for one in before if one[0] == shown), None)
        if same is None:
            same = shown, _replayed(shown)
            before.append(same)
        true = truth.until(middle_us(facts)) if view in HALTED else truth
        where = f"{capture.parent.name} {name_of(capture)} {view}"
        judgements[view] = _judged(where, true, *same)
    return judgements


def _replayed(shown: Sequence[Fact]) -> Replayed:
    """What a replay tells of these facts."""
    if not shown:
        return Replayed(reconciles=[], changes=[], headlines=[])
    with replayed(shown) as results:
        return Replayed(
            reconciles=_rows(results, _RECONCILES),
            changes=_rows(results, _CHANGES),
            headlines=broken_headlines(results),
        )


def _judged(where: str, truth: Truth, shown: Sequence[Fact], told: Replayed) -> Judged:
    judgement = Judged(worlds=1, headlines=[f"{where}: {text}" for text in told.headlines])
    handovers = handovers_in(shown)
    other = different_settings(truth.controllers, [fact for fact in shown if isinstance(fact, ControllerSeen)])
    for row in told.reconciles:
        judgement.classes[row["verdict"], row["class"] or ""] += 1
        if row["class"] == UNEXPLAINED:
            judgement.unexplained.append(f"{where}: {row}")
        judgement.proven += row["evidence"] == "proven" and row["verdict"] == "match"
        wrong = [f"{where}: {text}: {row}" for text in _wrong(truth, other, handovers, row)]
        judgement.wrong += wrong
        judgement.false[row["verdict"], row["class"] or ""] += bool(wrong)
    for row in told.changes:
        judgement.changes += 1
        judgement.named += row["writer_class"] != "unknown"
        judgement.wrong += _wrong_writers(where, truth, row)
    return judgement


_REFUSALS = {"denied": {403}, "conflict": {409}}
"""The answers of the API server by which a write fails in this way; any other one is an error of the API.

After a conflict the controller reads the scale again, and that may fail in each way.
"""

_RECONCILES = """
select
    epoch_us(r.ts) as at_us, epoch_us(r.ts + to_microseconds((1e6 * r.lasted_s)::bigint)) as until_us, at_source,
    epoch_us(r.ts - to_microseconds((1e6 * r.uncertainty_s)::bigint)) as from_us,
    r.namespace || '/' || r.name as hpa, target.target_name, spec_replicas, desired, decided, actual,
    verdict, class, evidence, reason_code,
    found.alternative, found.settings
from reconciles as r
asof left join hpa_specs as target on target.hpa_uid = r.hpa_uid and r.ts >= target.valid_from
left join lateral (
    select any_value(alternative) as alternative, list(s) as settings
    from sensitivity as s
    where s.hpa_uid = r.hpa_uid and list_contains(s.divergence_ids, r.divergence_id) and r.class like 'config.%'
) as found on true
order by reconcile_id
"""

_CHANGES = """
select
    e.namespace || '/' || e.name as hpa, coalesce(target.target_name, h.target_name) as target_name,
    epoch_us(at_lo) as lo_us, epoch_us(at_hi) as hi_us, from_replicas, to_replicas,
    writer_class, writer_name, evidence_level, coalesce(w.may_be_hpa, false) as may_be_hpa
from scale_events as e
left join (select scale_event_id, may_be_hpa from foreign_writes) as w using (scale_event_id)
join hpas as h using (hpa_uid)
asof left join hpa_specs as target on target.hpa_uid = e.hpa_uid and e.at_lo >= target.valid_from
where source = 'actual'
order by at_hi
"""


def _rows(results: Results, question: str) -> Rows:
    relation = results.sql(question)
    return [dict(zip(relation.columns, row, strict=True)) for row in relation.fetchall()]


def handovers_in(shown: Sequence[Fact]) -> list[int]:
    """When another holder of the Lease was seen first."""
    states = [fact for fact in shown if isinstance(fact, LeaseSeen) and fact.holder]
    return [later.at_us for earlier, later in pairwise(states) if earlier.holder != later.holder]


def _wrong(truth: Truth, other: set[str], handovers: Sequence[int], row: dict[str, Any]) -> Iterator[str]:
    """Each claim of a verdict that was not true.

    other       settings of the controller that were others than the recording says
    handovers   when another holder of the Lease was seen first
    """
    mine = [one for one in truth.decided if one.hpa == row["hpa"]]
    here = [one for one in mine if abs(one.at_us - row["at_us"]) <= NEAR_US]
    around = [
        one for one in mine if one.until_us >= row["from_us"] - NEAR_US and one.at_us <= row["until_us"] + NEAR_US
    ]
    family, _, detail = (row["class"] or "match").partition(".")
    wanted = {number for one in here for number in one.wanted}
    refused = {status for one in around for status in one.refused}
    is_told = row["evidence"] == "proven" and row["verdict"] != "undecidable"
    is_alone = is_told and here and not _is_shared(truth, row)
    if is_alone and row["spec_replicas"] not in {None, *(one.read for one in here)}:
        yield f"it read {[one.read for one in here]} replicas"
    if family == "match" and row["desired"] is None and any(one.asked is not None for one in here):
        yield f"the controller wrote {wanted}"
    elif family == "match" and here and row["desired"] is not None and row["desired"] not in wanted:
        yield f"the controller wanted {wanted}"
    elif family == "not_run" and here:
        yield "it was reconciled"
    elif family == "external_write" and not _written_by_others(truth, row):
        yield "nobody else wrote"
    elif family == "write_failed" and not refused & (_REFUSALS.get(detail, refused - {403}) | {409}):
        yield f"refused were {refused or 'none'}"
    elif family == "write_mutated" and not any(one.asked != one.stored is not None for one in around):
        yield "what was asked for was stored"
    elif row["class"] == "memory.controller_restart" and not truth.restarted(row["at_us"]):
        yield "the controller did not restart"
    elif row["class"] == "memory.other_lease" and truth.started_near(handovers):
        yield "the controller restarted"
    elif row["class"] == "config.sync_period":
        if duration(row["alternative"]) != truth.sync_period_us:
            yield f"the sync period was {truth.sync_period_us}"
    elif family == "config":
        keys = {key for found in row["settings"] or () for key in (found["key"], found["also_key"]) if key}
        if not {detail, *(key.replace("-", "_") for key in keys)} - {"restart", "lease"} <= other:
            yield f"only {other} was another"
        if len(other) == 1:  # where several are others, a wrong value of one may explain as much
            yield from _other_values(truth, row["settings"] or ())


def _other_values(truth: Truth, found: Sequence[dict[str, Any]]) -> Iterator[str]:
    """The flags of which a value is told that is not the true one, nor one of those next to it that were tried."""
    told: dict[str, set[float]] = {}
    for one in found:
        for key, alternative in ((one["key"], one["alternative"]), (one["also_key"], one["also_alternative"])):
            if key in VALUES:
                told.setdefault(key, set()).add(_number(alternative))
    for key, numbers in told.items():
        tried = sorted({*map(_number, VALUES[key]), *numbers})
        below = max((one for one in tried if one < min(numbers)), default=-math.inf)
        above = min((one for one in tried if one > max(numbers)), default=math.inf)
        true = {_settings(one)[key.replace("-", "_")] for one in truth.controllers}
        if not any(below < one < above for one in true if isinstance(one, int | float)):
            yield f"{key} was {true}, not {numbers}"


def _number(text: str) -> float:
    """A value of a flag: a plain number, or microseconds."""
    return float(text) if text.replace(".", "").isdigit() else duration(text)


def _written_by_others(truth: Truth, row: dict[str, Any]) -> list[Written]:
    return [
        one
        for one in truth.written
        if one.target.name == row["target_name"]
        and not (one.by_hpa and one.writer == row["hpa"])
        and row["from_us"] - NEAR_US <= one.at_us <= row["until_us"] + NEAR_US
    ]


def _is_shared(truth: Truth, row: dict[str, Any]) -> bool:
    """Whether two HPAs of one target decided in this instant: in virtual time both do all at once."""
    deciding = {one.hpa for one in truth.decided if abs(one.at_us - row["at_us"]) <= NEAR_US}
    writing = {one.writer for one in truth.written if one.by_hpa and one.target.name == row["target_name"]}
    return len(deciding & writing) > 1


def different_settings(true: Sequence[ControllerSeen], shown: Sequence[ControllerSeen]) -> set[str]:
    """The settings, as `config.*` names them, that were others than a recording says or a replay assumes."""
    used = _settings(shown[-1] if shown else None)
    return {key for one in true for key, value in _settings(one).items() if used[key] != value}


def _settings(fact: ControllerSeen | None) -> dict[str, object]:
    flags = {short_name(name): value for name, value in fact.flags} if fact else {}
    return {
        "tolerance": float(flags.get("tolerance", "0.1")),
        **{key.replace("-", "_"): duration(flags.get(key, value)) for key, value in DURATIONS.items()},
        "release": fact.release if fact else None,
        "feature_gate": sorted(fact.gates) if fact else [],
    }


def _wrong_writers(where: str, truth: Truth, row: dict[str, Any]) -> Iterator[str]:
    """A change whose writer is named, and was another one; or that is said to be no HPA's, and was this one's."""
    near = [
        one
        for one in truth.written
        if one.target.name == row["target_name"]
        and one.replicas == row["to_replicas"]
        and row["lo_us"] - SECOND <= one.at_us <= row["hi_us"] + SECOND
    ]
    if not near:
        return
    if row["writer_class"] == "unknown":
        right = row["may_be_hpa"] or any(not one.by_hpa or one.writer != row["hpa"] for one in near)
    elif row["writer_class"] == "hpa":
        right = any(one.by_hpa and one.writer == row["hpa"] for one in near)
    elif row["writer_class"] == "autoscaler":
        right = any(one.writer == row["writer_name"] for one in near)
    else:
        right = any(not one.by_hpa for one in near)
    if not right:
        yield f"{where}: {sorted({one.writer for one in near})} wrote it: {row}"

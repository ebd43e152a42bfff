"""The kernel's numbers as the columns of `reconciles`, `metric_proposals` and the writes of a slice."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from hpaaudit.engine.behaviours.table import Rules
from hpaaudit.engine.controller.compute_metric import target_of
from hpaaudit.engine.controller.metric_target import UTILIZATION, name_of
from hpaaudit.engine.controller.normalize import WHY
from hpaaudit.engine.fleet.batch.builder import Laid
from hpaaudit.engine.fleet.columns.codes import (
    EVIDENCE,
    KEPT,
    NULL,
    PROBLEMS,
    RESCALED,
    UPDATE_FAILED,
)
from hpaaudit.engine.fleet.columns.tables import NONE, Made, Proposed
from hpaaudit.engine.fleet.input.hpas import HpaTracks
from hpaaudit.engine.fleet.input.ids import Array
from hpaaudit.engine.fleet.input.rows import Rows
from hpaaudit.engine.replay.reconcile_times import GRID, SOURCES
from hpaaudit.engine.rules.candidates import MISSING
from hpaaudit.engine.rules.normalize import METRIC_ABOVE
from hpaaudit.engine.rules.reason_codes import CODES
from hpaaudit.engine.rules.replica_calculator import ADJUST_CODES
from hpaaudit.model.columns import Columns, Decided, Numbers, Words
from hpaaudit.model.units import SECOND

AT_SOURCES = (*SOURCES, "reconcile")
_ACTIONS = ("hold", "scale_up", "scale_down")
_OK = 200
_DENSE = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which reconciles are told: of these HPAs, as `namespace/name` (none: of all), since and until when."""

    keys: Collection[str] = ()
    since_us: int | None = None
    until_us: int | None = None

    def chosen(self, passes: Rows, hpas: HpaTracks) -> Array:
        """Where a pass is wanted."""
        found = np.ones(len(passes["hpa"]), bool)
        if self.keys:
            found &= np.array(["/".join(key) in self.keys for key in hpas.keys.named], bool)[passes["hpa"]]
        if self.since_us is not None:
            found &= passes["at_us"] >= self.since_us
        if self.until_us is not None:
            found &= passes["at_us"] <= self.until_us
        return found


def decided(laid: Laid, made: Made, proposed: Proposed, hpas: HpaTracks, rules: Rules, wanted: Wanted) -> Decided:
    """What the kernel made of a slice; passes over an HPA that is gone leave no row."""
    here = np.flatnonzero((np.asarray(made.state) != NONE) & wanted.chosen(laid.passes, hpas))
    here = here[np.argsort(laid.passes["number"][here], kind="stable")]
    identity = _identity(laid, made, hpas, here)
    return Decided(
        reconciles=_reconciles(laid, made, rules, here, identity),
        proposals=_proposals(laid, made, proposed, here, identity),
        writes=_writes(laid, made, here, identity),
    )


def _identity(laid: Laid, made: Made, hpas: HpaTracks, here: Array) -> dict[str, Numbers | Words]:
    """The columns that every relation of a reconcile starts with."""
    hpa, uid = laid.passes["hpa"][here], laid.states["uid"][made.state[here]]
    # Without a uid the name tells HPAs apart.
    both, places = _distinct(hpa, uid)
    named = [hpas.keys.named[number] for number, _ in both]
    texts = [hpas.uids.named[own] or "/".join(name) for (_, own), name in zip(both, named, strict=True)]
    code = places.astype(np.int32)
    return {
        "hpa_uid": Words(code, tuple(texts)),
        "namespace": Words(code, tuple(namespace for namespace, _ in named)),
        "name": Words(code, tuple(name for _, name in named)),
        "reconcile_id": Numbers(laid.passes["number"][here]),
        "ts": Numbers(laid.passes["at_us"][here]),
    }


def _reconciles(laid: Laid, made: Made, rules: Rules, here: Array, identity: Columns) -> dict[str, Numbers | Words]:
    tape, state, scale = laid.tape, made.state[here], made.scale[here]
    minimum, maximum = _bounds(laid, made, here)
    seen = scale != NONE
    spec = _numbers(_at(tape.scales.spec_replicas, scale, seen))
    desired = made.desired[here]
    statuses = np.asarray(tape.hpas.status)[state]
    source = laid.passes["source"][here]
    return {
        **identity,
        "began_at": Numbers(laid.passes["began_us"][here]),
        "at_source": Words(source.astype(np.int32), AT_SOURCES),
        "uncertainty_s": Numbers(np.where(source == GRID, tape.period_us // 2 / SECOND, 0.0)),
        "epoch_id": Numbers(np.asarray(tape.passes.epoch)[here]),
        "spec_replicas": spec,
        "status_replicas": _numbers(_at(tape.scales.status_replicas, scale, seen)),
        "min_replicas": minimum,
        "max_replicas": maximum,
        "raw_desired": _numbers(made.raw[here]),
        "stabilized": _numbers(made.stabilized[here]),
        "rate_limited": _numbers(made.rate_limited[here]),
        "desired": _numbers(desired),
        "status_desired": _numbers(made.status_desired[here]),
        "action": _action(spec, desired),
        "reason_code": Words(made.reason[here].astype(np.int32), CODES),
        "scale_reason": _scale_reason(laid, made, rules, here),
        "winner_idx": _numbers(np.where(made.winner[here] == NONE, NULL, made.winner[here])),
        **_conditions(laid, "able", made.able[here], statuses),
        **_conditions(laid, "active", made.active[here], statuses),
        **_conditions(laid, "limited", made.limited[here], statuses),
        "band_lo": _numbers(made.band_lo[here]),
        "band_hi": _numbers(made.band_hi[here]),
        "evidence": Words(made.evidence[here].astype(np.int32), EVIDENCE),
        "missing_input": Words(made.missing[here].astype(np.int32), MISSING),
    }


def _bounds(laid: Laid, made: Made, here: Array) -> tuple[Numbers, Numbers]:
    """MinReplicas and maxReplicas as the spec has them."""
    given = [spec.hpa.spec for spec in laid.terms.specs]
    minimum = np.array([NULL if one.min_replicas is None else one.min_replicas for one in given], np.int64)
    maximum = np.array([one.max_replicas for one in given], np.int64)
    return _numbers(minimum[made.terms[here]]), _numbers(maximum[made.terms[here]])


def _action(spec: Numbers, desired: Array) -> Words:
    known = (desired != NULL) if spec.missing is None else (desired != NULL) & ~spec.missing
    code = np.where(desired > spec.values, 1, np.where(desired < spec.values, 2, 0))
    return Words(np.where(known, code, 0).astype(np.int32), _ACTIONS)


def _scale_reason(laid: Laid, made: Made, rules: Rules, here: Array) -> Words:
    """Why a number was written, with the name of the metric that asked for it."""
    metric = np.where(made.winner[here] == NONE, 0, made.winner[here])
    metric = metric + np.asarray(laid.tape.terms.metric_from)[made.terms[here]]
    why = made.why_scaled[here]
    metric = np.where(why == METRIC_ABOVE, metric, 0)

    both, places = _distinct(why, metric)
    words = []
    for reason, number in both:
        name = ""
        if reason == METRIC_ABOVE:
            name = name_of(laid.terms.metric_of(number), laid.terms.asked[number].how, rules)
        words.append(WHY[reason].format(name=name))
    return Words(places.astype(np.int32), tuple(words))


def _conditions(laid: Laid, name: str, made: Array, statuses: Array) -> dict[str, Numbers | Words]:
    """Status and reason of a condition: what the pass made of it, else what stood."""
    stood = np.asarray(getattr(laid.tape.statuses, name))[statuses]
    code = np.where(made == KEPT, stood, made).astype(np.int32)
    return {
        f"{name}_status": Words(code, tuple(status for status, _ in laid.words)),
        f"{name}_reason": Words(code, tuple(reason for _, reason in laid.words)),
    }


def _proposals(
    laid: Laid, made: Made, proposed: Proposed, here: Array, identity: Columns
) -> dict[str, Numbers | Words]:
    asked = made.asked[here]
    row = np.repeat(np.arange(len(here)), asked)
    number = np.arange(len(row)) - np.repeat(np.cumsum(asked) - asked, asked)
    place = np.asarray(laid.tape.passes.metric_at)[here][row] + number
    terms = made.terms[here][row]
    metric = np.asarray(laid.tape.terms.metric_from)[terms] + number
    specs = [laid.terms.metric_of(index) for index in range(len(laid.terms.asked))]
    targets = [target_of(spec) for spec in specs]
    how = np.array([one.how for one in laid.terms.asked], np.int64)[metric]
    target = np.array([NULL if amount is None else amount for _, amount in targets], np.int64)[metric]
    problem = proposed.problem[place]
    valid = problem == NONE
    ratio, adjusted = proposed.ratio[place], proposed.adjusted[place]
    tolerance = np.where(
        ratio > 1.0, np.asarray(laid.tape.terms.tolerance_up)[terms], np.asarray(laid.tape.terms.tolerance_down)[terms]
    )
    adjust = np.where(valid, proposed.adjust[place] + 1, 0)
    return {
        **{name: _chosen(column, row) for name, column in identity.items()},
        "metric_idx": Numbers(number),
        "metric_type": Words(metric.astype(np.int32), tuple(str(spec.type) for spec in specs)),
        "metric_name": Words(metric.astype(np.int32), tuple(spec.name for spec in specs)),
        "target_type": Words(metric.astype(np.int32), tuple(kind for kind, _ in targets)),
        "target": _numbers(target),
        "current_milli": Numbers(np.where(valid, proposed.current[place], 0), ~valid),
        "current_utilization": Numbers(proposed.percent[place], ~(valid & (how == UTILIZATION))),
        "ratio": Numbers(np.where(valid, ratio, 0.0), ~valid),
        "ratio_adjusted": Numbers(np.where(adjust > 1, adjusted, 0.0), adjust <= 1),
        "tolerance": Numbers(tolerance, ~valid),
        "proposal": Numbers(np.where(valid, proposed.replicas[place], 0), ~valid),
        "valid": Numbers(valid),
        "invalid_code": Words(np.where(valid, 0, problem + 1).astype(np.int32), ("", *PROBLEMS)),
        "adjust_code": Words(adjust.astype(np.int32), ("", *ADJUST_CODES)),
        **{
            f"{name}_pods": Numbers(getattr(proposed, name)[place], ~valid | (getattr(proposed, name)[place] == NONE))
            for name in ("ready", "unready", "missing", "ignored")
        },
        "is_winner": Numbers(made.winner[here][row] == number),
    }


def _writes(laid: Laid, made: Made, here: Array, identity: Columns) -> dict[str, Numbers | Words]:
    """One row per write of the scale; without a recorded answer there is one, and it succeeds."""
    able = made.able[here]
    rows: list[int] = []
    seqs: list[int] = []
    statuses: list[int] = []
    for row in np.flatnonzero((able == RESCALED) | (able == UPDATE_FAILED)).tolist():
        answers = laid.attempts.get(int(here[row]))
        found = [attempt.status for attempt in answers] if answers else [_OK]
        rows += [row] * len(found)
        seqs += range(len(found))
        statuses += found
    which = np.array(rows, np.int64)
    return {
        **{name: _chosen(column, which) for name, column in identity.items()},
        "seq": Numbers(np.array(seqs, np.int64)),
        "to_replicas": Numbers(made.desired[here][which]),
        "http_status": Numbers(np.array(statuses, np.int64)),
    }


def _numbers(values: Array) -> Numbers:
    missing = values == NULL
    return Numbers(np.where(missing, 0, values), missing) if missing.any() else Numbers(values)


def _at(column: Array, which: Array, known: Array) -> Array:
    """Values of a column, NULL where they are not known."""
    values = np.asarray(column)
    return np.where(known, values[which], NULL) if len(values) else np.full(len(which), NULL)


def _chosen(column: Numbers | Words, which: Array) -> Numbers | Words:
    if isinstance(column, Words):
        return Words(column.codes[which], column.words)
    return Numbers(column.values[which], None if column.missing is None else column.missing[which])


def _distinct(first: Array, second: Array) -> tuple[list[tuple[int, int]], Array]:
    """The distinct pairs of two columns of small numbers, and which of them each row has."""
    width = int(second.max(initial=0)) + 1
    key = first * width + second
    size = int(key.max(initial=0)) + 1
    if size > _DENSE * len(key) + _DENSE:
        both, places = np.unique(key, return_inverse=True)
    else:
        # Few pairs that could be: mark those that are, rather than sort.
        there = np.zeros(size, bool)
        there[key] = True
        both = np.flatnonzero(there)
        places = (np.cumsum(there) - 1)[key]
    return [divmod(int(pair), width) for pair in both], places

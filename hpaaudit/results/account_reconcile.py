"""Reads one reconcile from a results file, for its page."""

import json
import shlex
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from hpaaudit.api.zone import in_zone
from hpaaudit.errors import BadOption, NotResults
from hpaaudit.model.account import ConditionText, Hidden, PodLine, PodMember, ReconcileAccount, StepLine
from hpaaudit.model.audit import DECLARED
from hpaaudit.model.landmark import Landmark
from hpaaudit.model.span import is_within
from hpaaudit.model.units import Micros
from hpaaudit.results import sql
from hpaaudit.results.account_rows import change, divergence, metric
from hpaaudit.results.hpa_names import hpa_names
from hpaaudit.results.questions import Scope, defaults, hpas_of
from hpaaudit.results.read import Results

_EVIDENCE = "evidence"
"""The folder of `sql/` with a query for each kind of statement about a reconcile."""

_CONDITIONS = ("able", "active", "limited")
_NOT_RECORDED = ("default", "inferred", DECLARED)
"""The sources of settings that are listed as assumed: not recorded, and not those of a what-if."""

_EVERYTHING = Scope()

_TYPES = ("AbleToScale", "ScalingActive", "ScalingLimited")


def interesting(results: Results, hpa: str | None, within: Scope = _EVERYTHING) -> tuple[str, Micros]:
    """The HPA and the moment that matter most: the worst divergence, the last scale, the end.

    hpa      `namespace/name`, a name alone that only one HPA has, or a pattern with `*`; None: all
    within   the time in which the moment is

    Raises NotResults where no HPA was replayed, and UnknownHpa, which names the nearest.
    """
    chosen = chosen_hpa(results, hpa)
    moment = defaults(results, replace(within, hpa=chosen))["at"]
    return chosen, Micros(results.rows("select epoch_us($at) as at_us", at=moment)[0]["at_us"])


def chosen_hpa(results: Results, hpa: str | None) -> str:
    """The HPA that a text means, of several the one that matters most. Raises as `interesting`."""
    names = hpas_of(results, hpa) if hpa else hpa_names(results)
    if not names:
        command = f"hpaaudit inspect {shlex.quote(results.recording)}"
        raise NotResults(f"{results.path} holds no reconcile: `{command}` says what the recording lacks")
    return names[0]


def landmark_place(results: Results, hpa: str, landmark: Landmark, within: Scope = _EVERYTHING) -> tuple[Micros, int]:
    """The time and the `reconcile_id` of the reconcile that `first`, `last`, `next` … names for this HPA.

    within   the time to which all reconciles belong that count

    Raises BadOption if the HPA has no such reconcile.
    """
    most = _until(results, hpa, interesting(results, hpa, within)[1])
    place = _places(results, hpa, most, within)[landmark]
    if place is None:
        what = {
            Landmark.NEXT: f"reconcile after the one that matters most, of {in_zone(most['at_us'])}",
            Landmark.PREV: f"reconcile before the one that matters most, of {in_zone(most['at_us'])}",
            Landmark.FIRST_DIVERGENCE: "divergent reconcile",
        }.get(landmark, "reconcile")
        raise BadOption(f"--at {landmark}: {hpa} has no {what}{span_words(within)}")
    at_us, reconcile_id = place
    return Micros(at_us), int(reconcile_id)


def _places(results: Results, hpa: str, most: Mapping[str, Any], within: Scope) -> Mapping[str, Any]:
    """The time and the `reconcile_id` of each landmark, None where there is no such reconcile.

    most   the reconcile that matters most, as `_until` gives it
    """
    return results.rows(
        """
        select
            min(place) as "first",
            max(place) as "last",
            min(place) filter (where place > ($most_us::bigint, $most_id::bigint)) as "next",
            max(place) filter (where place < ($most_us::bigint, $most_id::bigint)) as "prev",
            min(place) filter (where verdict = 'divergent') as "first-divergence"
        from (
            select verdict, (epoch_us(ts), reconcile_id) as place
            from reconciles
            where namespace || '/' || name = $hpa
                and ($since_us::bigint is null or epoch_us(ts) >= $since_us)
                and ($until_us::bigint is null or epoch_us(ts) <= $until_us)
        )
        """,
        hpa=hpa,
        since_us=within.since_us,
        until_us=within.until_us,
        most_us=most["at_us"],
        most_id=most["reconcile_id"],
    )[0]


def span_words(within: Scope) -> str:
    """` from 14:05 to 14:20` or ` until 14:20`, with whole times; empty if all times count."""
    ends = (("from", within.since_us), ("until" if within.since_us is None else "to", within.until_us))
    return "".join(f" {word} {in_zone(at_us)}" for word, at_us in ends if at_us is not None)


def place_in_instant(results: Results, account: ReconcileAccount) -> int:
    """How many reconciles of its HPA were before it in the same instant."""
    row = results.rows(
        """
        select count(*) as earlier
        from reconciles
        where namespace || '/' || name = $hpa and ts = make_timestamp($at_us) and reconcile_id < $reconcile_id
        """,
        hpa=f"{account.namespace}/{account.name}",
        at_us=account.at_us,
        reconcile_id=account.reconcile_id,
    )[0]
    return int(row["earlier"])


def reconcile_account(results: Results, hpa: str, at_us: Micros) -> ReconcileAccount:
    """The last reconcile of `namespace/name` until then; if there is none its first, with `asked_us` set."""
    row = _until(results, hpa, at_us)
    account = next(reconcile_accounts(results, [row["reconcile_id"]]))
    if account.at_us <= at_us:
        return account
    seen_us = row["seen_us"]
    return replace(account, asked_us=at_us, seen_us=seen_us if seen_us is not None and seen_us > at_us else None)


def reconcile_within(results: Results, hpa: str, at_us: Micros | None, within: Scope) -> ReconcileAccount:
    """The last reconcile of `namespace/name` until then that belongs to this time; None: the one that matters most.

    Raises BadOption if the HPA has none.
    """
    moment_us = interesting(results, hpa, within)[1] if at_us is None else at_us
    found = _until(results, hpa, moment_us)
    number = found["reconcile_id"]
    if not is_within(found["at_us"], within.since_us, within.until_us):
        # What matters most is a moment, which may lie before the first of these reconciles.
        last = _places(results, hpa, found, within)["last"] if at_us is None else None
        if last is None:
            told = within if at_us is None else replace(within, until_us=at_us)
            raise BadOption(f"{hpa} has no reconcile{span_words(told)}")
        number = last[1]
    return next(reconcile_accounts(results, [number]))


def _until(results: Results, hpa: str, at_us: Micros) -> dict[str, Any]:
    """The last reconcile until a time (`reconcile_id`, `at_us`), and when its HPA was first seen (`seen_us`)."""
    rows = results.rows(
        """
        select r.reconcile_id, epoch_us(r.ts) as at_us, epoch_us(h.seen_at) as seen_us
        from reconciles as r
        left join hpas as h using (hpa_uid)
        where r.namespace || '/' || r.name = $hpa
        order by
            r.ts > make_timestamp($at_us),
            case when r.ts > make_timestamp($at_us) then (r.ts, r.reconcile_id) end,
            r.ts desc,
            rank_in_instant(r.verdict, r.action, r.reconcile_id) desc
        limit 1
        """,
        hpa=hpa,
        at_us=at_us,
    )
    return rows[0]


def deleted_at(results: Results, reconcile_id: int) -> Micros | None:
    """When the HPA of this reconcile was deleted, None if it was not."""
    rows = results.rows(
        """
        select epoch_us(h.deleted_at) as deleted_us
        from reconciles as r
        join hpas as h using (hpa_uid)
        where r.reconcile_id = $reconcile_id
        """,
        reconcile_id=reconcile_id,
    )
    return rows[0]["deleted_us"] if rows else None


def reconcile_accounts(results: Results, numbers: Sequence[int]) -> Iterator[ReconcileAccount]:
    """The reconciles with these `reconcile_id`s, in the order of time. Each query is asked once for all of them."""
    evidence = {}
    for name, text in _queries(numbers).items():
        by_reconcile = evidence[name] = defaultdict[int, list[dict[str, Any]]](list)
        for row in results.rows(text):
            by_reconcile[row["reconcile_id"]].append(row)
    for rows in list(evidence["10_reconcile"].values()):
        number = rows[0]["reconcile_id"]
        yield _account(results, rows[0], {name: by_reconcile[number] for name, by_reconcile in evidence.items()})


def evidence_queries(reconcile_id: int) -> str:
    """The queries that give the rows behind an account, for any SQL client."""
    return "\n".join(_queries([reconcile_id]).values())


def stored(results: Results, reconcile_id: int) -> tuple[int, int]:
    """How many steps and how many pods of a reconcile the results hold."""
    queries = _queries([reconcile_id])
    return len(results.rows(queries["30_steps"])), len(results.rows(queries["45_pod_names"]))


def _queries(numbers: Sequence[int]) -> dict[str, str]:
    """The queries behind the accounts of these reconciles, by the names of their files."""
    listed = ", ".join(map(str, numbers)) or "null"
    return {name: text.replace("$reconcile_ids", listed) for name, text in sql.folder(_EVIDENCE).items()}


def _account(
    results: Results, row: Mapping[str, Any], evidence: Mapping[str, Sequence[Mapping[str, Any]]]
) -> ReconcileAccount:
    """The account of one reconcile, from its row and the rows of each query."""
    hidden = next(iter(evidence["15_hidden"]), None)
    hides_hpa, hides_next = (hidden is not None and hidden[name] for name in ("hides_hpa", "hides_next"))
    return ReconcileAccount(
        file=str(results.path),
        recording=row["path"],
        started_us=row["started_us"],
        ended_us=row["ended_us"],
        reconcile_id=row["reconcile_id"],
        namespace=row["namespace"],
        name=row["name"],
        at_us=row["at_us"],
        at_source=row["at_source"],
        uncertainty_s=row["uncertainty_s"],
        release=row["release"],
        api_server=row["api_server"] or "",
        spec_replicas=row["spec_replicas"],
        status_replicas=row["status_replicas"],
        min_replicas=row["min_replicas"],
        max_replicas=row["max_replicas"],
        raw_desired=row["raw_desired"],
        stabilized=row["stabilized"],
        rate_limited=row["rate_limited"],
        desired=row["desired"],
        status_desired=row["status_desired"],
        decided=row["decided"],
        decided_source=row["decided_source"] or "",
        actual=None if hides_next else row["actual"],
        band=None if row["band_lo"] is None or row["band_hi"] is None else (row["band_lo"], row["band_hi"]),
        verdict=row["verdict"],
        reason_code=row["reason_code"],
        # A status that nobody looked at did not stay the same for all that is known: it proves nothing.
        evidence="assumed" if hides_hpa else row["evidence"],
        missing_input=row["missing_input"],
        error=row["error"] or "",
        metrics=tuple(map(metric, evidence["20_metrics"])),
        steps=tuple(map(_step, evidence["30_steps"])),
        pods=tuple(_pods(pods) for pods in evidence["40_pods"]),
        conditions=tuple(condition for status in evidence["50_status"] for condition in _conditions(status)),
        members=tuple(map(_member, evidence["45_pod_names"])),
        published=tuple(map(_condition, evidence["55_conditions"])),
        assumed=tuple(one for one in results.assumptions if one.source in _NOT_RECORDED),
        events=tuple((event["reason"], event["message"]) for event in evidence["60_events"]),
        before=next(map(change, evidence["70_change_before"]), None),
        divergence=next(map(divergence, evidence["80_divergence"]), None),
        hidden=None if hidden is None else _hidden(hidden),
        what_if=row["what_if"],
    )


def _hidden(row: Mapping[str, Any]) -> Hidden:
    return Hidden(
        since_us=row["since_us"],
        until_us=row["until_us"],
        hides_hpa=row["hides_hpa"],
        hides_target=row["hides_target"],
    )


def _pods(row: Mapping[str, Any]) -> PodLine:
    return PodLine(metric_idx=row["metric_idx"], bucket=row["bucket"], why_code=row["why_code"], pods=row["pods"])


def _condition(row: Mapping[str, Any]) -> ConditionText:
    return ConditionText(type=row["type"], status=row["status"], reason=row["reason"], message=row["message"])


def _member(row: Mapping[str, Any]) -> PodMember:
    return PodMember(
        metric_idx=row["metric_idx"],
        bucket=row["bucket"],
        why_code=row["why_code"],
        pod=row["pod"],
        value=row["value_milli"],
        request=row["request_milli"],
    )


def _step(row: Mapping[str, Any]) -> StepLine:
    return StepLine(
        stage=row["stage"],
        code=row["code"],
        before=row["before"],
        after=row["after"],
        binding=row["binding"],
        detail=tuple(json.loads(row["detail"]).items()),
    )


def _conditions(status: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """The conditions of a published status: type, status and reason."""
    for kind, column in zip(_TYPES, _CONDITIONS, strict=True):
        if status[f"{column}_status"] is not None:
            yield kind, status[f"{column}_status"], status[f"{column}_reason"]

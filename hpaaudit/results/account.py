"""Reads the outcome of a replay from a results file, for its page."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hpaaudit.model.account import AtZero, Finding, ForeignWrite, Hold, HpaAccount, Otherwise, Outage, ReplayAccount
from hpaaudit.model.units import Micros
from hpaaudit.results.account_rows import change, divergences
from hpaaudit.results.hpa_names import worst_first
from hpaaudit.results.moments import LONG_HOLD_S, account_sql, moments
from hpaaudit.results.read import Results
from hpaaudit.results.timeline import timeline

DRAWN = 3
"""So many HPAs are read over time: the page of a replay describes them in full."""

_ByHpa = Mapping[str, list[dict[str, Any]]]


def replay_account(results: Results, drawn_of_many: int | None = None) -> ReplayAccount:
    """What the current replay of a results file found, HPA by HPA. The HPA that matters most comes first.

    An HPA that was there without any reconcile in the time that is shown is one of them too, after the others.

    drawn_of_many   so many HPAs are read over time if there are more than `DRAWN`; None: `DRAWN` of them
    """
    head = results.rows(account_sql("replay"))[0]
    is_narrowed = results.is_part
    hpas = tuple(_hpas(results, is_narrowed=is_narrowed))
    drawn = hpas[: DRAWN if drawn_of_many is None or len(hpas) <= DRAWN else drawn_of_many]
    return ReplayAccount(
        file=str(results.path),
        recording=head["path"],
        started_us=head["started_us"],
        ended_us=head["ended_us"],
        release=head["release"],
        later_releases=tuple(head["later_releases"] or ()),
        api_server=tuple(head["api_server"] or ()),
        lease_holders=tuple(head["lease_holders"] or ()),
        assumptions=results.assumptions,
        gaps=tuple(head["gaps"] or ()),
        options=head["options"],
        detail=head["detail"],
        other_what_ifs=tuple(head["other_what_ifs"] or ()),
        is_narrowed=is_narrowed,
        hpas=hpas,
        timelines=tuple(
            timeline(results, name, moment_us or head["ended_us"]) for name, moment_us in _drawn(drawn).items()
        ),
    )


def _drawn(hpas: Sequence[HpaAccount]) -> Mapping[str, Micros | None]:
    """The names of the HPAs that have something to show, each with the moment of the first one of that name."""
    moments_of: dict[str, Micros | None] = {}
    for hpa in hpas:
        if hpa.reconciles and (hpa.changes or hpa.holds or hpa.divergences):
            moments_of.setdefault(f"{hpa.namespace}/{hpa.name}", hpa.moment_us)
    return moments_of


def _hpas(results: Results, *, is_narrowed: bool) -> Iterator[HpaAccount]:
    """Reads every relation once for all HPAs, because a fleet has hundreds of them."""
    divergences_of = defaultdict(list)
    for uid, _, divergence in divergences(results):
        divergences_of[uid].append(divergence)
    changes = _by_hpa(results, account_sql("changes"))
    foreign_writes = _by_hpa(results, account_sql("foreign_writes"))
    findings = _by_hpa(results, account_sql("findings"))
    holds = _by_hpa(results, account_sql("holds"), long_hold_s=LONG_HOLD_S)
    outages = _by_hpa(results, account_sql("outages"))
    zeros = _by_hpa(results, account_sql("zeros"))
    moment_of = moments(results)
    asked = tuple(f"{one.key} {one.value}" for one in results.assumptions if one.in_place_of is not None)
    otherwise = {row.pop("hpa_uid"): row for row in results.rows(account_sql("what_if"))} if asked else {}
    place_of = {row["hpa_uid"]: place for place, row in enumerate(worst_first(results))}
    rows = results.rows(account_sql("hpas"))
    # Those without a reconcile have no place: they come last, by name.
    for row in sorted(rows, key=lambda row: place_of.get(row["hpa_uid"], len(place_of))):
        uid = row["hpa_uid"]
        yield HpaAccount(
            namespace=row["namespace"],
            name=row["name"],
            target=row["target"] or "",
            reconciles=row["reconciles"],
            match=row["match"],
            skew=row["skew"],
            divergent=row["divergent"],
            undecidable=row["undecidable"],
            undecidable_s=row["undecidable_s"] or 0.0,
            undecidable_why=tuple(row["why"] or ()),
            proven=row["proven"],
            changes=tuple(map(change, changes[uid])),
            foreign_writes=tuple(ForeignWrite(**write) for write in foreign_writes[uid]),
            divergences=tuple(divergences_of[uid]),
            findings=tuple(Finding(**finding) for finding in findings[uid]),
            comparable=row["comparable"],
            agree=row["agree"],
            seen=row["seen"],
            holds=tuple(Hold(**hold) for hold in holds[uid]),
            other_reasons=row["other_reasons"] or 0,
            moment_us=moment_of.get(uid),
            told_scalings=row["told_scalings"],
            seen_us=row["seen_us"],
            deleted_us=row["deleted_us"],
            former_targets=tuple((one["target"], one["until_us"]) for one in row["former_targets"] or ()),
            outages=tuple(Outage(**outage) for outage in outages[uid]),
            is_narrowed=is_narrowed,
            zeros=tuple(AtZero(**zero) for zero in zeros[uid]),
            otherwise=Otherwise(settings=asked, **otherwise.get(uid, {})) if asked else None,
        )


def _by_hpa(results: Results, text: str, **values: int) -> _ByHpa:
    rows_of: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in results.rows(text, **values):
        rows_of[row.pop("hpa_uid")].append(row)
    return rows_of

"""The tables of behaviours, gates, flags and API versions as a history: what changed in which release."""

from collections.abc import Iterable, Iterator

from hpaaudit.engine.behaviours.flags_and_api import API, FLAGS
from hpaaudit.engine.behaviours.gates import GATES, Gate
from hpaaudit.engine.behaviours.planned import PLANNED
from hpaaudit.engine.behaviours.release import ALPHA, KNOWN, known_release, version_of
from hpaaudit.engine.behaviours.release_number import Version, parsed
from hpaaudit.engine.behaviours.table import BEHAVIOURS, Behaviour
from hpaaudit.model.history import Change, ChangeKind, ChangeVerb, KnownBy, Releases

_TABLES = ((ChangeKind.BEHAVIOUR, BEHAVIOURS), (ChangeKind.FLAG, FLAGS), (ChangeKind.API, API))


def history() -> Releases:
    """Every change from the first release on, and what is planned."""
    changes = [change for kind, table in _TABLES for rule in table for change in _changes_of(kind, rule)]
    gates = [change for gate in GATES for change in _changes_of_gate(gate)]
    return Releases(
        older=KNOWN[0],
        newer=known_release(ALPHA),
        is_whole=True,
        changes=(*_by_release([*changes, *gates]), *_planned()),
    )


def between(one: str, other: str) -> Releases:
    """What differs between two releases, in any order: of each rule that only one of them has, the change that did it.

    A rule that came and went between them, or went and came back, is no difference. What is planned for a release after
    the older one stands at the end. Raises UnknownRelease.
    """
    older, newer = sorted((one, other), key=version_of)
    low, high = version_of(older), version_of(newer)
    changes = [
        _latest(_changes_of(kind, rule), low, high) or _change(kind, rule, ChangeVerb.ENDED, known_release(newer))
        for kind, table in _TABLES
        for rule in table
        if rule.holds(low) != rule.holds(high)
    ]
    gates = [change for gate in GATES for change in _changes_of_gate(gate) if low < parsed(change.release) <= high]
    return Releases(
        older=known_release(older),
        newer=known_release(newer),
        is_whole=False,
        changes=(*_by_release([*changes, *gates]), *_planned(low, high)),
    )


def _by_release(changes: Iterable[Change]) -> tuple[Change, ...]:
    """Oldest first, in the tables' order within a minor release."""
    return tuple(sorted(changes, key=lambda change: version_of(change.release)[:2]))


def _change(
    kind: ChangeKind, rule: Behaviour, verb: ChangeVerb, release: str, backports: tuple[str, ...] = ()
) -> Change:
    return Change(
        name=rule.name,
        kind=kind,
        verb=verb,
        release=release,
        backports=backports,
        reference=rule.reference,
        known_by=rule.known_by,
        description=rule.description,
    )


def _changes_of(kind: ChangeKind, rule: Behaviour) -> Iterator[Change]:
    """When a rule began and ended: more than once if it was lost and came back.

    A rule that says `before` held from the beginning: then it has no change that began it.
    """
    first = parsed(rule.since[0])
    holds, backports = bool(rule.before), list[str]()
    for minor in (*KNOWN, ALPHA):
        now, at_once = rule.holds(version_of(minor)), rule.holds(parsed(minor))
        if holds and not now:
            yield _change(kind, rule, ChangeVerb.ENDED, minor)
        elif not holds and now and parsed(minor)[:2] == first[:2]:
            yield _change(kind, rule, ChangeVerb.BEGAN, rule.since[0], tuple(backports))
        elif not holds and now and at_once:
            yield _change(kind, rule, ChangeVerb.BEGAN, minor)
        elif not holds and now:  # a patch release of this minor release has it; the change itself came later
            backports.append(next(text for text in rule.since if parsed(text)[:2] == parsed(minor)[:2]))
            continue
        holds = now


def _latest(changes: Iterable[Change], low: Version, high: Version) -> Change | None:
    """The last change after one release that the other one has."""
    had = [change for change in changes if low < parsed(change.release) <= high or _has_backport(change, high)]
    return had[-1] if had else None


def _has_backport(change: Change, version: Version) -> bool:
    return any(parsed(text)[:2] == version[:2] and parsed(text) <= version for text in change.backports)


def _changes_of_gate(gate: Gate) -> Iterator[Change]:
    """When a gate came, when it was on by default, and when it could no longer be switched off."""
    began = ChangeVerb.ON_BY_DEFAULT if gate.on == gate.since else ChangeVerb.BEGAN
    steps = [(gate.since, began), (gate.on, ChangeVerb.ON_BY_DEFAULT), (gate.locked, ChangeVerb.ALWAYS_ON)]
    for release, verb in dict(step for step in steps if step[0]).items():
        yield Change(
            name=gate.name,
            kind=ChangeKind.GATE,
            verb=verb,
            release=release,
            backports=(),
            reference=gate.reference,
            known_by=KnownBy.READ if release == ALPHA else gate.known_by,  # an alpha is not executed
            description=gate.description,
        )


def _planned(low: Version | None = None, high: Version | None = None) -> Iterator[Change]:
    """What is planned; between two releases only what is planned for one after the older."""
    for row in PLANNED:
        if low and high and not (row.release and low < parsed(row.release) <= high):
            continue
        yield Change(
            name=row.name,
            kind=ChangeKind.GATE if row.is_gated else ChangeKind.BEHAVIOUR,
            verb=ChangeVerb.PLANNED,
            release=row.release,
            backports=(),
            reference=row.reference,
            known_by=KnownBy.READ,
            description=row.description,
        )

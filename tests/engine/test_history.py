"""The history of releases says what the table of behaviours says, in every direction."""

from hypothesis import example, given
from hypothesis import strategies as st

from hpaaudit.engine.behaviours.flags_and_api import API, FLAGS
from hpaaudit.engine.behaviours.gates import GATES
from hpaaudit.engine.behaviours.planned import PLANNED
from hpaaudit.engine.behaviours.release import ALPHA, KNOWN, behaviours_of, version_of
from hpaaudit.engine.behaviours.release_history import between, history
from hpaaudit.engine.behaviours.release_number import parsed
from hpaaudit.engine.behaviours.table import BEHAVIOURS
from hpaaudit.model.flags import Flags
from hpaaudit.model.history import ChangeKind, ChangeVerb, KnownBy

RULES = {rule.name: rule for rule in (*BEHAVIOURS, *FLAGS, *API)}
MINORS = (*KNOWN, ALPHA)
releases = st.builds(
    lambda minor, patch: minor if patch is None else f"{minor}.{patch}",
    st.sampled_from(MINORS),
    st.none() | st.integers(0, 20),
)


@given(one=releases, other=releases)
@example(one="1.29.11", other="1.30.0")  # a patch of the older one has what the newer one lacks
@example(one="1.12.0", other="1.13.9")  # a rule that came with a patch
@example(one="1.15.0", other="1.21")  # lost and back: no difference
def test_between_two_releases_stands_exactly_what_only_one_of_them_has(one: str, other: str) -> None:
    low, high = sorted((version_of(one), version_of(other)))
    changes = [c for c in between(one, other).changes if c.kind != ChangeKind.GATE and c.verb != ChangeVerb.PLANNED]
    told = {c.name: c.verb == ChangeVerb.BEGAN for c in changes}
    assert told == {name: rule.holds(high) for name, rule in RULES.items() if rule.holds(low) != rule.holds(high)}


@given(one=releases, other=releases)
def test_the_order_of_two_releases_does_not_matter(one: str, other: str) -> None:
    assert between(one, other).changes == between(other, one).changes


@given(release=releases)
def test_nothing_differs_between_a_release_and_itself(release: str) -> None:
    assert between(release, release).changes == ()


@given(one=releases, other=releases)
def test_releases_that_decide_otherwise_have_a_difference(one: str, other: str) -> None:
    if behaviours_of(Flags(release=one)) != behaviours_of(Flags(release=other)):
        assert between(one, other).changes


def test_the_whole_history_read_from_the_start_gives_what_holds_in_each_release() -> None:
    """From 1.1 on; what held in it without having begun there is what was lost later."""
    changes = [c for c in history().changes if c.kind != ChangeKind.GATE and c.verb != ChangeVerb.PLANNED]
    holding = {name for name, rule in RULES.items() if getattr(rule, "before", "")}
    for minor in MINORS:
        for change in changes:
            if parsed(change.release)[:2] == parsed(minor)[:2]:
                holding ^= {change.name}
        late = {c.name for c in changes for text in c.backports if parsed(text)[:2] == parsed(minor)[:2]}
        assert holding | late == {name for name, rule in RULES.items() if rule.holds(version_of(minor))}, minor


@given(one=releases, other=releases)
@example(one="1.37", other="1.38")
@example(one="1.37.0", other="1.37")
@example(one="1.38", other="1.38")
def test_between_two_releases_stands_what_is_planned_for_the_newer_one(one: str, other: str) -> None:
    """And for each release between them, but nothing that is planned for the older one, or for none."""
    low, high = sorted((version_of(one), version_of(other)))
    told = [change for change in between(one, other).changes if change.verb == ChangeVerb.PLANNED]
    minors = {
        text for text in MINORS if low < version_of(text) and parsed(text) <= high and low[:2] != parsed(text)[:2]
    }
    assert [change.name for change in told] == [row.name for row in PLANNED if row.release in minors]
    assert {change.known_by for change in told} <= {KnownBy.READ}


def test_every_gate_and_every_plan_is_told() -> None:
    told = {(change.name, change.verb) for change in history().changes}
    for gate in GATES:
        assert (gate.name, ChangeVerb.ON_BY_DEFAULT) in told
        assert ((gate.name, ChangeVerb.ALWAYS_ON) in told) == bool(gate.locked)
        assert ((gate.name, ChangeVerb.BEGAN) in told) == (gate.on != gate.since)
    assert {name for name, verb in told if verb == ChangeVerb.PLANNED} == {row.name for row in PLANNED}


def test_a_plan_switches_nothing() -> None:
    """It is told, and not decided: its name is none that `--with` takes."""
    assert not {row.name for row in PLANNED} & {*RULES, *(gate.name for gate in GATES), *(g.rule for g in GATES)}

"""Every behaviour that can be switched changes a decision: each row of the table is read by some rule."""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import pytest

from hpaaudit.api.flags import short_name, with_flags
from hpaaudit.engine.behaviours.gates import GATES
from hpaaudit.engine.behaviours.release import behaviours_of
from hpaaudit.engine.behaviours.table import BEHAVIOURS
from hpaaudit.engine.replay.plan import plan
from hpaaudit.engine.replay.process import Process, replay
from hpaaudit.model.facts import ControllerSeen, Fact
from hpaaudit.model.flags import Flags
from tests.conformance.decisions import facts_of
from tests.conformance.expected import captures, releases
from tests.same import texts

NAMES = [*(behaviour.name for behaviour in BEHAVIOURS), *(gate.rule for gate in GATES)]
DEFAULT_OF = {"RestClients": "use-rest-clients"}
"""Behaviours that are the default of a flag: they show where it is not given."""

WORLDS = sorted(releases(), key=lambda release: [int(part) for part in release.split(".")], reverse=True)

SAID: dict[tuple[Path, str], int] = {}
"""The hash of what was decided in each world with the behaviours in force."""


@lru_cache(maxsize=64)
def _facts(capture: Path) -> list[Fact]:
    return facts_of(capture)


def _said(capture: Path, *, on: tuple[str, ...] = (), off: tuple[str, ...] = ()) -> int:
    """The hash of what is decided in a world with behaviours switched, in every word."""

    def flags_of(controller: ControllerSeen) -> Flags:
        left_out = {DEFAULT_OF[name] for name in (*on, *off) if name in DEFAULT_OF}
        flag_values = {name: text for name, text in controller.flags if short_name(name) not in left_out}
        flags = with_flags(Flags(release=controller.release), flag_values)
        return replace(flags, gates=controller.gates, with_behaviours=on, without_behaviours=off)

    facts = _facts(capture)
    laid_out = plan(facts, None)
    deciding = [controller for controller in laid_out.controllers if controller.state in ("started", "declared")]
    flags = [flags_of(controller) for controller in deciding]
    # A behaviour that is switched to what its release has anyway changes nothing: what is decided then is known.
    in_force = [(behaviours_of(one), replace(one, with_behaviours=(), without_behaviours=())) for one in flags]
    key = (capture, repr(in_force))
    if key not in SAID:
        process = Process(laid_out, Flags(), flags_of, keep_pods=False)
        SAID[key] = hash(tuple(texts(replay(facts, laid_out, process, ()))))
    return SAID[key]


def _minor(release: str) -> int:
    return int(release.split(".")[1])


def _newest_change(name: str) -> int:
    """The minor release in which a behaviour began, or ended if it did; of a gate the newest one that we hold."""
    for behaviour in BEHAVIOURS:
        if behaviour.name == name:
            return _minor(behaviour.until or behaviour.since[0])
    return _minor(WORLDS[0])


def _changed(name: str) -> Iterator[bool]:
    """Whether switching a behaviour changes what is decided, world by world; those of its own time first.

    Of a release the small worlds come first: they are quick, and most were written to show one rule.
    """
    for release in sorted(WORLDS, key=lambda release: abs(_minor(release) - _newest_change(name))):
        for capture in sorted(captures(release), key=lambda path: path.stat().st_size):
            yield _said(capture, on=(name,)) != _said(capture, off=(name,))


@pytest.mark.parametrize("name", NAMES)
def test_switching_a_behaviour_changes_a_decision_of_some_world(name: str) -> None:
    assert behaviours_of(Flags(with_behaviours=(name,))) != behaviours_of(Flags(without_behaviours=(name,)))
    assert any(_changed(name)), f"{name} can be switched, but no decision of any world asks for it"

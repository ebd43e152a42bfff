"""Controller processes of one recording that were started with other flags: each is decided by its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hpaaudit.flows.options import ControllerOptions
from hpaaudit.flows.prepare import Prepared, prepare
from hpaaudit.model.facts import ControllerSeen, Fact
from hpaaudit.recording.reading.recording import open_recording
from tests.engine.recorded_facts import hpa_seen
from tests.engine.scenes import at, cpu, hpa_of
from tests.fleet.chance import write

TOLERANT = (("horizontal-pod-autoscaler-tolerance", "0.2"),)
WINDOW = (("horizontal-pod-autoscaler-downscale-stabilization", "1m"),)
TO_ZERO = (("HPAScaleToZero", True),)


def _process(
    second: int,
    *,
    release: str = "1.36",
    flags: tuple[tuple[str, str], ...] = (),
    gates: tuple[tuple[str, bool], ...] = (),
) -> ControllerSeen:
    return ControllerSeen(at_us=at(second), state="started", release=release, version="", flags=flags, gates=gates)


def _prepared(folder: Path, *processes: ControllerSeen, **flags: str) -> Prepared:
    def facts() -> Iterator[Fact]:
        yield hpa_seen(at(0), hpa_of(cpu(50)))
        yield from processes

    write(folder / "recording", list(facts()), 9)
    return prepare(open_recording(folder / "recording"), ControllerOptions(flags=flags))


def _settings(prepared: Prepared) -> list[tuple[str, float, int, tuple[tuple[str, bool], ...]]]:
    every = map(prepared.flags_of, prepared.plan.controllers)
    return [(one.release, one.tolerance, one.downscale_stabilization_us // 1_000_000, one.gates) for one in every]


def test_a_process_that_tells_its_settings_has_the_defaults_of_those_that_it_does_not_list(tmp_path: Path) -> None:
    prepared = _prepared(tmp_path, _process(1, flags=TOLERANT, gates=TO_ZERO), _process(60, flags=WINDOW))
    assert _settings(prepared) == [("1.36", 0.2, 300, TO_ZERO), ("1.36", 0.1, 60, ())]
    told = {one.key: (one.value, one.source) for one in prepared.assumptions if " from " in one.key}
    assert told == {
        "tolerance from 2026-03-02T14:01:00Z on": ("0.1", "default"),
        "downscale-stabilization from 2026-03-02T14:01:00Z on": ("60s", "observed"),
    }


@pytest.mark.parametrize("silent", [[60], [60, 120]])
def test_a_process_that_tells_nothing_is_like_the_one_before(silent: list[int], tmp_path: Path) -> None:
    known = [_process(1), _process(30, flags=TOLERANT, gates=TO_ZERO)]
    prepared = _prepared(tmp_path, *known, *(_process(second, release="") for second in silent))
    assert _settings(prepared)[2:] == [("1.36", 0.2, 300, TO_ZERO)] * len(silent)
    assert [one.key for one in prepared.assumptions if " from " in one.key] == [
        "tolerance from 2026-03-02T14:00:30Z on"
    ]


def test_before_anything_is_told_the_first_settings_that_are_told_are_assumed(tmp_path: Path) -> None:
    prepared = _prepared(tmp_path, _process(1, release=""), _process(60, release="1.29", flags=TOLERANT))
    assert _settings(prepared) == [("1.29", 0.2, 300, ())] * 2


def test_what_the_user_says_holds_for_every_process(tmp_path: Path) -> None:
    prepared = _prepared(tmp_path, _process(1, flags=TOLERANT), _process(60, flags=WINDOW), tolerance="0.3")
    assert [tolerance for _, tolerance, *_ in _settings(prepared)] == [0.3, 0.3]
    assert not [one for one in prepared.assumptions if one.key.startswith("tolerance from")]

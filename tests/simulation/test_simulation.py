"""Some worlds of the simulation, the same in every run; that a seed repeats itself; and that planted bugs are seen.

Worlds run in a process of their own, for the order of Python's sets must be the same in every run of a seed.
"""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.simulation.machine import SECOND
from tests.simulation.mutants import MUTANTS, Mutant
from tests.simulation.plan import plan
from tests.simulation.world import Run, World

REPOSITORY = Path(__file__).parents[2]
SEEDS = 16
AGAIN = 2


def simulate(*words: str) -> subprocess.CompletedProcess[str]:
    """Runs the simulation as its users do, in a process whose own hashes are random."""
    environment = {**os.environ, "PYTHONHASHSEED": "random"}
    return subprocess.run(
        [sys.executable, "-m", "tests.simulation", *words],
        capture_output=True, text=True, check=False, cwd=REPOSITORY, env=environment,
    )  # fmt: skip


def test_every_fact_that_was_acknowledged_is_there_and_every_second_is_data_or_a_gap() -> None:
    simulated = simulate("--seeds", str(SEEDS))
    assert simulated.returncode == 0, simulated.stdout + simulated.stderr
    assert simulated.stdout.startswith(f"{SEEDS} seeds, 0 failed")


@pytest.mark.parametrize("seed", [1643, 1680, 3438])
def test_a_world_that_failed_once_holds(seed: int) -> None:
    simulated = simulate("--seed", str(seed))
    assert simulated.returncode == 0, simulated.stdout + simulated.stderr


@pytest.mark.parametrize(
    ("resource", "seconds", "is_excused"),
    [("pods", 50, True), ("pods", 76, False), ("events", 76, True), ("pods", 0, False)],
)
def test_only_a_silence_that_sound_watches_have_too_need_not_be_a_gap_at_the_end(
    resource: str, seconds: int, is_excused: bool, tmp_path: Path
) -> None:
    """The watch stalled that many seconds before SIGTERM, 0: not at all."""
    world, signals = World(plan(0), tmp_path), list[int]()
    loop: Any = SimpleNamespace(signalled=signals.append)
    since_us = world.machine.now_us - seconds * SECOND if seconds else 0
    stream: Any = SimpleNamespace(kind=SimpleNamespace(resource=resource), stalled_us=since_us)
    world.network.streams.append(stream)
    world.current = Run(0, loop=loop)
    world._terminate()
    assert signals
    assert world.blind == ([(resource, since_us, world.machine.now_us)] if is_excused else [])


def test_the_same_seed_records_the_same_bytes_twice() -> None:
    first, second = (simulate("--seeds", str(AGAIN), "--from", "1", "--digests").stdout.splitlines() for _ in range(2))
    assert len(first) == AGAIN + 1
    assert first[:AGAIN] == second[:AGAIN]


def test_a_seed_that_fails_names_the_command_that_repeats_it() -> None:
    simulated = simulate("--mutant", "no gap is written down", "--most", "1")
    assert simulated.returncode == 1
    assert "again: .venv/bin/python -m tests.simulation --seed " in simulated.stdout


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_planted_bug_is_found_within_a_few_worlds(mutant: Mutant) -> None:
    simulated = simulate("--mutant", mutant.name)
    assert simulated.returncode == 1, f"not found: {simulated.stdout}{simulated.stderr}"

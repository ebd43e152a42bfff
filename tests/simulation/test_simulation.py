"""Some worlds of the simulation, the same in every run; that a seed repeats itself; and that planted bugs are seen.

Worlds run in a process of their own, for the order of Python's sets must be the same in every run of a seed.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.simulation.mutants import MUTANTS, Mutant

REPOSITORY = Path(__file__).parents[2]
SEEDS = 24
AGAIN = 4


def simulate(*words: str) -> subprocess.CompletedProcess[str]:
    """Run the simulation as its users do, in a process whose own hashes are random."""
    environment = {**os.environ, "PYTHONHASHSEED": "random"}
    return subprocess.run(
        [sys.executable, "-m", "tests.simulation", *words],
        capture_output=True, text=True, check=False, cwd=REPOSITORY, env=environment,
    )  # fmt: skip


def test_every_fact_that_was_acknowledged_is_there_and_every_second_is_data_or_a_gap() -> None:
    simulated = simulate("--seeds", str(SEEDS))
    assert simulated.returncode == 0, simulated.stdout + simulated.stderr
    assert simulated.stdout.startswith(f"{SEEDS} seeds, 0 failed")


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

"""The memory of all answers that are being read: derived from the limit, shared, and released."""

import asyncio
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpaaudit.cluster.client import memory_budget as module
from hpaaudit.cluster.client.memory_budget import (
    ANSWER_DIVISOR,
    BUDGET_DIVISOR,
    DEFAULT_LIMIT,
    Budget,
    Reservation,
    decoded_bytes,
    memory_limit,
)
from hpaaudit.cluster.decoding.decoders import TooLong

MB = 1 << 20


@pytest.fixture(autouse=True)
def roomy(monkeypatch: pytest.MonkeyPatch) -> None:
    """However large this process is."""
    monkeypatch.setattr(Budget, "is_measured_full", False)


@pytest.mark.parametrize(
    ("ours", "files", "limit"),
    [
        ("0::/\n", {"memory.max": "536870912"}, 536870912),
        ("0::/\n", {"memory.max": "max"}, DEFAULT_LIMIT),
        ("0::/kubepods/pod1\n", {"memory.max": "max", "kubepods/pod1/memory.max": "1024"}, 1024),
        ("0::/kubepods/pod1\n", {"kubepods/memory.max": "512", "kubepods/pod1/memory.max": "1024"}, 512),
        ("0::/of/the/host\n", {"memory.max": "777"}, 777),
        ("5:memory:/docker/x\n", {"memory/memory.limit_in_bytes": "888"}, 888),
        ("5:memory:/\n", {"memory/memory.limit_in_bytes": str((1 << 63) - 4096)}, DEFAULT_LIMIT),
        ("5:cpu:/\n0::/\n", {"memory.max": "no number"}, DEFAULT_LIMIT),
        ("", {}, DEFAULT_LIMIT),
    ],
)
def test_the_limit_is_the_least_of_our_control_groups(
    ours: str, files: dict[str, str], limit: int, tmp_path: Path
) -> None:
    (tmp_path / "ours").write_text(ours)
    for name, text in files.items():
        path = tmp_path / "fs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")
    assert memory_limit(tmp_path / "fs", tmp_path / "ours") == limit
    assert memory_limit(tmp_path / "nothing", tmp_path / "none") == DEFAULT_LIMIT


def test_one_answer_may_have_a_part_of_the_budget_and_no_more() -> None:
    async def play() -> None:
        budget = Budget(64 * MB)
        with budget.reserve() as reservation:
            await reservation.grow(budget.longest)
            with pytest.raises(TooLong, match="more than 4 MB of memory"):
                await reservation.grow(1)
        assert (budget.taken, budget.holders) == (0, set())
        assert budget.total == 64 * MB // BUDGET_DIVISOR == budget.longest * ANSWER_DIVISOR

    asyncio.run(play())


def test_who_waits_goes_on_when_another_gives_back() -> None:
    async def play() -> None:
        budget = Budget(64 * MB)
        first, second, third = budget.reserve(), budget.reserve(), budget.reserve()
        await first.grow(4 * MB)
        await second.grow(4 * MB)
        waiting = asyncio.create_task(third.grow(2 * MB))
        await asyncio.sleep(0)
        assert not waiting.done()
        first.shrink(0)
        await waiting
        assert budget.taken == 6 * MB

    asyncio.run(play())


def test_where_all_wait_for_each_other_one_gives_way_and_the_others_go_on() -> None:
    async def play() -> None:
        budget = Budget(64 * MB)

        async def read(reservation: Reservation) -> str:
            with reservation:
                try:
                    await reservation.grow(3 * MB)
                    await asyncio.sleep(0)
                    await reservation.grow(1 * MB)
                except TooLong as problem:
                    return str(problem)
                return ""

        outcomes = await asyncio.wait_for(asyncio.gather(*(read(budget.reserve()) for _ in range(5))), 10)
        assert outcomes.count("") >= 1
        assert all("in flight" in line for line in outcomes if line)
        assert budget.taken == 0

    asyncio.run(play())


def test_a_process_that_nears_its_limit_takes_no_more(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.undo()
    (tmp_path / "statm").write_text("1 1000 1 1 0 1 0")
    monkeypatch.setattr(module, "STATM", tmp_path / "statm")
    assert Budget(4096 * 1100).is_measured_full
    assert not Budget(4096 * 2000).is_measured_full

    async def play() -> None:
        with Budget(100 * MB).reserve() as reservation:
            await reservation.grow(3 * MB)
        (tmp_path / "statm").write_text("1 1000000 1 1 0 1 0")
        with Budget(100 * MB).reserve() as reservation, pytest.raises(TooLong, match="no memory is left"):
            await reservation.grow(3 * MB)

    asyncio.run(play())


@given(st.lists(st.integers(0, 3 * MB), max_size=30), st.integers(0, 2**30))
def test_whatever_is_taken_is_given_back(sizes: list[int], seed: int) -> None:
    async def play() -> None:
        budget = Budget(64 * MB)

        async def read(size: int) -> None:
            with budget.reserve() as reservation:
                try:
                    for _ in range(3):
                        await reservation.resize(size * (seed % 3))
                        await asyncio.sleep(0)
                        assert 0 <= budget.taken <= budget.total
                except TooLong:
                    return

        await asyncio.wait_for(asyncio.gather(*map(read, sizes)), 20)
        assert (budget.taken, budget.holders, budget.waiting) == (0, set(), {})

    asyncio.run(play())


@pytest.mark.parametrize("unit", ["{}", "[]", '{"a":1}', "1", '"x"', "[[]]"])
def test_json_weighs_no_less_than_what_it_becomes(unit: str) -> None:
    """Measured: what Python holds for it, objects and the list of them."""
    import tracemalloc

    data = ("[" + ",".join([unit] * 100_000) + "]").encode()
    tracemalloc.start()
    document = json.loads(data)
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(document) == 100_000
    assert decoded_bytes(data) * 2 >= taken

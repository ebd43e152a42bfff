"""The files of tests that take longest begin first."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests.conftest import LONGEST_FIRST, pytest_collection_modifyitems

TESTS = Path(__file__).parents[1]


def test_each_of_them_is_a_file() -> None:
    assert [file for file in LONGEST_FIRST if not (TESTS / file).is_file()] == []


def test_they_are_collected_in_their_order_before_all_others_whose_order_stays() -> None:
    first, second = (TESTS / file for file in LONGEST_FIRST[:2])
    paths = [TESTS / "house/test_wheel.py", second, TESTS / "api/test_v1.py", first, second]
    items: list[Any] = [SimpleNamespace(path=path, number=number) for number, path in enumerate(paths)]
    pytest_collection_modifyitems(items)
    assert [item.number for item in items] == [3, 1, 4, 0, 2]

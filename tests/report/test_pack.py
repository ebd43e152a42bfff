"""What the page carries: every reconcile comes back as it was put in, by a second reading of the format."""

import base64
import gzip
import json
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hpaaudit.model.units import SECOND, Micros
from hpaaudit.report.page.fold import HOLE, folded
from hpaaudit.report.page.pack import packed
from hpaaudit.report.page.thin import thinned
from tests.report.accounts import NOON
from tests.report.test_page import columns

NUMBER = st.one_of(st.none(), st.integers(-(2**40), 2**40), st.integers(-3, 3))


def unpacked(text: str) -> tuple[dict[str, Any], dict[str, list[int | None]]]:
    """The JSON and the columns, read as `pack.py` says."""
    line, _, body = gzip.decompress(base64.b64decode(text)).partition(b"\n")
    head = json.loads(line)
    rest = iter(body)
    found: dict[str, list[int | None]] = {}
    for name, kind, *constant in head["columns"]:
        if kind == "=":
            found[name] = constant * head["count"]
            continue
        last, found[name] = 0, []
        for _ in range(head["count"]):
            code = shift = 0
            while (byte := next(rest)) > 127:
                code, shift = code | (byte & 127) << shift, shift + 7
            code |= byte << shift
            if code == 0:
                found[name].append(None)
                continue
            number = -(code // 2) if (code - 1) % 2 else (code - 1) // 2
            last = last + number if kind == "+" else number
            found[name].append(last)
    assert next(rest, None) is None
    return head, found


@given(st.lists(NUMBER, max_size=40))
def test_every_number_comes_back(numbers: list[int | None]) -> None:
    times = [Micros(NOON + 15 * SECOND * place) for place in range(len(numbers))]
    words = {name: ["match"] * len(numbers) for name in ("verdict", "reason", "evidence", "state")}
    hpa = replace(columns("web"), times_us=times, numbers={"replay": numbers}, words=words, metrics=())
    head, found = unpacked(packed(hpa, {}))
    assert head["count"] == len(numbers)
    assert found["replay"] == numbers
    assert found["time"] == [15 * place for place in range(len(numbers))]


@given(st.lists(st.one_of(st.none(), st.text("ab 0179.:\n", max_size=12)), max_size=12))
def test_every_folded_text_comes_back(texts: list[str | None]) -> None:
    told = folded(texts)
    holes = [[iter(column.split("\n")) for column in columns] for columns in told["holes"]]
    again: list[str | None] = []
    for form in told["formOf"]:
        if form < 0:
            again.append(None)
            continue
        first, *parts = told["forms"][form].split(HOLE)
        again.append(first + "".join(next(column) + part for column, part in zip(holes[form], parts, strict=True)))
    assert again == texts


@given(st.lists(st.integers(0, 2), min_size=1, max_size=60), st.integers(1, 7))
def test_thinning_loses_no_change(replay: list[int], every: int) -> None:
    times = [Micros(NOON + 15 * SECOND * place) for place in range(len(replay))]
    words = {name: ["match"] * len(replay) for name in ("verdict", "reason", "evidence", "state")}
    hpa = replace(
        columns("web"), times_us=times, reconcile_ids=times, numbers={"replay": replay}, words=words, metrics=()
    )
    thin = thinned(hpa, every)
    changes = [place for place in range(1, len(replay)) if replay[place] != replay[place - 1]]
    assert {times[place] for place in changes} <= {*thin.times_us}
    assert len(thin.times_us) <= len(changes) + -(-len(replay) // every)
    assert thin.numbers["replay"] == [replay[times.index(at_us)] for at_us in thin.times_us]

"""The time of the first item of every answer is found from what changed between answers."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hpaaudit.engine.controller.metrics_client import ZERO_TIME_US
from hpaaudit.engine.fleet.input.first_items import first_times
from hpaaudit.engine.fleet.input.rows import Rows
from hpaaudit.recording.encoding.answer_changes import changes_between

Answer = dict[tuple[str, int], int]
"""When each item was measured, in the order of the answer."""

ANSWERS = st.lists(
    st.tuples(
        st.integers(0, 2),
        st.dictionaries(st.tuples(st.sampled_from("abcde"), st.just(0)), st.integers(0, 9), max_size=5),
    ),
    max_size=12,
)


def _columns(rows: list[tuple[int, ...]], *names: str) -> Rows:
    columns = np.array(rows, np.int64).reshape(-1, len(names)).T
    return dict(zip(names, columns, strict=True))


@given(ANSWERS)
def test_the_first_item_of_an_answer_is_that_of_the_answer_as_it_was(answers: list[tuple[int, Answer]]) -> None:
    last: dict[int, Answer] = {}
    rows, reads, expected = list[tuple[int, ...]](), list[tuple[int, ...]](), list[int]()
    for seq, (stream, answer) in enumerate(answers):
        for change in changes_between(last.get(stream, {}), answer):
            is_gone, place = change.item is None, -1 if change.place is None else change.place
            rows.append((stream, seq, ord(change.key[0]), place, int(is_gone), change.item or 0))
        last[stream] = answer
        reads.append((stream, seq))
        expected.append(next(iter(answer.values()), int(ZERO_TIME_US)))
    changed = _columns(rows, "stream", "seq", "item", "place", "gone", "at_us")
    assert first_times(changed, _columns(reads, "stream", "seq")).tolist() == expected

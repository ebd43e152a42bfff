"""The series of every selected pod are those that a search pod by pod finds."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hpaaudit.engine.fleet.batch.sources import SourceTable
from hpaaudit.engine.fleet.columns.batch import NONE

PODS = st.integers(0, 6)
STREAMS = st.integers(0, 4)
SERIES = st.lists(st.tuples(STREAMS, PODS), unique=True, max_size=20)
SOURCES = st.lists(st.tuples(STREAMS, st.lists(PODS, unique=True), st.booleans()), max_size=6)


@given(series=SERIES, sources=SOURCES)
def test_each_pod_has_its_series_and_the_others_are_unlisted(
    series: list[tuple[int, int]], sources: list[tuple[int, list[int], bool]]
) -> None:
    table = SourceTable(*np.array(series, np.int64).reshape(-1, 2).T)
    for stream, pods, is_whole in sources:
        table.add(stream, np.array(pods, np.int64), is_whole_namespace=is_whole)
    columns = table.columns()
    rows = columns["sources"]
    assert len(table) == len(rows.stream) == len(sources)
    for row, (stream, pods, is_whole) in enumerate(sources):
        assert (rows.stream[row], rows.is_whole_namespace[row]) == (stream, is_whole)
        first = rows.series_from[row]
        own = {pod: number for number, (other, pod) in enumerate(series) if other == stream}
        assert [*columns["pod_series"][first : first + len(pods)]] == [own.get(pod, NONE) for pod in pods]
        unlisted = columns["unlisted_series"][rows.unlisted_from[row] : rows.unlisted_to[row]]
        assert [*unlisted] == ([] if is_whole else [own[pod] for pod in sorted(own) if pod not in pods])
    assert len(columns["pod_series"]) == sum(len(pods) for _, pods, _ in sources)

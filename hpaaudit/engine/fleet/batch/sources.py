"""Finds the samples of the selected pods: in each stream of answers that a metric reads, the series of each pod."""

from typing import Any

import numpy as np

from hpaaudit.engine.fleet.columns.batch import NONE, SampleSources
from hpaaudit.engine.fleet.input.ids import Array, paired


class SourceTable:
    """The streams that metrics read, and the series of their pods in them, which are all searched at once."""

    def __init__(self, stream: Array, pod: Array) -> None:
        """Takes the stream and the pod of every series."""
        self._series = np.lexsort([pod, stream])
        self._series_stream = stream[self._series]
        self._series_key = paired(self._series_stream, pod[self._series])
        self._streams: list[int] = []
        self._pods: list[Array] = []
        self._is_whole_namespace: list[bool] = []

    def __len__(self) -> int:
        return len(self._streams)

    def add(self, stream: int, pods: Array, *, is_whole_namespace: bool) -> None:
        """Adds a stream that is read for the pods with these numbers of names."""
        self._streams.append(stream)
        self._pods.append(pods)
        self._is_whole_namespace.append(is_whole_namespace)

    def columns(self) -> dict[str, Any]:
        """The fields of `InputBatch` that this table has.

        A pod without a series in the stream has NONE. Series of other pods are unlisted, but not those of a whole
        namespace.
        """
        stream = np.array(self._streams, np.int64)
        is_whole = np.array(self._is_whole_namespace, bool)
        pods = np.array([len(names) for names in self._pods], np.int64)
        source = np.repeat(np.arange(len(stream)), pods)
        key = paired(stream[source], np.concatenate([*self._pods, np.empty(0, np.int64)]))
        row = np.searchsorted(self._series_key, key)
        has_series = row < len(self._series_key)
        has_series[has_series] = self._series_key[row[has_series]] == key[has_series]
        pod_series = np.full(len(key), NONE, np.int64)
        pod_series[has_series] = self._series[row[has_series]]

        begin = np.searchsorted(self._series_stream, stream, "left")
        end = np.searchsorted(self._series_stream, stream, "right")
        size = np.where(is_whole, 0, end - begin)
        first = np.cumsum(size) - size
        is_unlisted = np.ones(int(size.sum()), bool)
        listed = has_series & ~is_whole[source]
        is_unlisted[(first - begin)[source[listed]] + row[listed]] = False
        before = np.append(0, np.cumsum(is_unlisted))
        series_row = np.repeat(begin - first, size) + np.arange(len(is_unlisted))
        return {
            "sources": SampleSources(
                stream=stream,
                is_whole_namespace=is_whole.astype(np.int64),
                series_from=np.cumsum(pods) - pods,
                unlisted_from=before[first],
                unlisted_to=before[first + size],
            ),
            "pod_series": pod_series,
            "unlisted_series": self._series[series_row[is_unlisted]],
        }

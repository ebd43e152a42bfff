"""Rows of pods to tracks of states, and which of them each selector sees."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hpaaudit.api import selector as selectors
from hpaaudit.engine.fleet.ids import Array, Ids, of_pairs, of_words
from hpaaudit.engine.fleet.rows import Rows, in_order, joined, kept, numbers, present, runs, where, words
from hpaaudit.engine.fleet.tape import Pods
from hpaaudit.engine.fleet.told import ABSENT_CONTAINER, MISSING_REQUEST
from hpaaudit.engine.measure import ZERO_TIME_US, Problem
from hpaaudit.engine.release import Rules
from hpaaudit.engine.requests import requests
from hpaaudit.model.columns import Columns
from hpaaudit.model.target import Container, Pod
from hpaaudit.model.units import Milli

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PodTexts:
    """How the JSON of a pod's columns reads."""

    labels: Callable[[str], Pairs]
    containers: Callable[[str], tuple[Container, ...]]
    requests: Callable[[str], tuple[tuple[str, Milli], ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Roster:
    """The pods that one selector sees: of each its track, and its name's number."""

    tracks: Array
    names: Array


class PodTracks:
    """The pods of a fleet, slice after slice."""

    def __init__(self, rules: Rules, quantities: Ids[tuple[str, str]], names: Ids[str], texts: PodTexts) -> None:
        self._rules = rules
        self._quantities = quantities
        self._names = names
        self._texts = texts
        self._keys: Ids[tuple[int, int]] = Ids()
        self._labels: Ids[str] = Ids()
        self._resources: Ids[tuple[str, str, str | None, str]] = Ids()
        self._asked: dict[tuple[int, int], tuple[int, int]] = {}
        self._matches: dict[tuple[str, int], bool] = {}
        self._rows: Rows | None = None
        self._extra: list[Rows] = []
        self._by_namespace: dict[int, Array] = {}

    def add(self, table: Columns | None) -> None:
        """Take the rows of one more slice."""
        parts = [] if self._rows is None else [self._rows]
        if table is not None:
            parts.append(self._read(table))
        if parts:
            self._rows = in_order(joined(parts), "track", "seq")
        self._extra = []
        self._by_namespace = {}

    def keep(self, cut: int) -> None:
        """Let go of what no pass from the fact number `cut` on can see."""
        if self._rows is None:
            return
        rows = kept(self._rows, "track", cut)
        # Who is gone before the cut has only that to tell.
        over = (rows["alive"] == 0) & (rows["seq"] < cut)
        self._rows = {name: column[~over] for name, column in rows.items()}

    def _read(self, table: Columns) -> Rows:
        namespace = of_words(self._names, words(table, "namespace"))
        name = of_words(self._names, words(table, "name"))
        alive = ~numbers(table, "gone").astype(bool)
        phase, ready = words(table, "phase"), words(table, "ready")
        failed = where(phase, "Failed")
        judged = alive & (ready.codes >= 0) & ~where(ready, "") & present(table, "start_us")
        return {
            "seq": numbers(table, "seq"),
            "track": of_pairs(self._keys, namespace, name),
            "namespace": namespace,
            "alive": alive.astype(np.int64),
            "ignored": (present(table, "deleting_us") | failed).astype(np.int64),
            "pending": where(phase, "Pending").astype(np.int64),
            "judged": judged.astype(np.int64),
            "ready_false": where(ready, "False").astype(np.int64),
            "running": (where(phase, "Running") & where(ready, "True")).astype(np.int64),
            "start_us": numbers(table, "start_us"),
            "transition_us": numbers(table, "ready_transition_us", int(ZERO_TIME_US)),
            "labels": of_words(self._labels, words(table, "labels_json")),
            "resources": self._resources_of(table),
        }

    def _resources_of(self, table: Columns) -> Array:
        """The number of what each pod's containers request, all of it together."""
        columns = [
            words(table, name)
            for name in ("containers_json", "init_containers_json", "pod_requests_json", "overhead_json")
        ]
        codes = np.stack([column.codes.astype(np.int64) for column in columns])
        distinct, places = np.unique(codes, axis=1, return_inverse=True)
        found = []
        for own in distinct.T:
            texts = [None if code < 0 else column.words[code] for code, column in zip(own, columns, strict=True)]
            containers, init, whole, overhead = texts
            found.append(
                -1 if containers is None else self._resources.of((containers, init or "[]", whole, overhead or "{}"))
            )
        return np.array(found, np.int64)[places.reshape(-1)] if found else np.empty(0, np.int64)

    def roster(self, namespace: str, selector: str) -> Roster:
        """The pods of a namespace that a selector sees at some time of the slice; after `add`."""
        rows = self._rows
        if rows is None or not selector:
            return Roster(tracks=np.empty(0, np.int64), names=np.empty(0, np.int64))
        tracks, labels = self._tracks_of(self._names.known(namespace))
        if not len(tracks):
            return Roster(tracks=tracks, names=tracks)
        sees = {int(label): self._sees(selector, int(label)) for label in np.unique(labels)}
        table = np.array([sees.get(label, False) for label in range(max(sees, default=-1) + 1)] + [False])
        hits = table[labels]
        seen = np.unique(tracks[hits])
        # A pod whose labels do not always match is seen as a track of its own, which is not there meanwhile.
        partly = np.intersect1d(seen, np.unique(tracks[~hits & (labels >= 0)]))
        names = np.array([self._keys.named[track][1] for track in seen], np.int64)
        for track in partly:
            seen = np.where(seen == track, self._split(int(track), table), seen)
        return Roster(tracks=seen, names=names)

    def _tracks_of(self, namespace: int) -> tuple[Array, Array]:
        """Track and labels of every row of a namespace."""
        if self._rows is None:
            raise AssertionError("there are no rows yet")
        if not self._by_namespace:
            order = np.argsort(self._rows["namespace"], kind="stable")
            here = self._rows["namespace"][order]
            begins = np.flatnonzero(np.diff(here, prepend=-1))
            for begin, end in zip(begins, [*begins[1:], len(here)], strict=True):
                self._by_namespace[int(here[begin])] = order[begin:end]
        mine = self._by_namespace.get(namespace, np.empty(0, np.int64))
        return self._rows["track"][mine], self._rows["labels"][mine]

    def _split(self, track: int, table: Array) -> int:
        """A copy of a track that is alive only while the labels match; its number."""
        if self._rows is None:
            raise AssertionError("there are no rows yet")
        mine = self._rows["track"] == track
        copy = {name: column[mine] for name, column in self._rows.items()}
        number = len(self._keys) + len(self._extra)
        copy["alive"] = copy["alive"] & table[copy["labels"]]
        copy["track"] = np.full(len(copy["seq"]), number, np.int64)
        self._extra.append(copy)
        return number

    def _sees(self, selector: str, labels: int) -> bool:
        if labels < 0:
            return False
        found = self._matches.get((selector, labels))
        if found is None:
            pairs = self._texts.labels(self._labels.named[labels])
            found = self._matches[selector, labels] = selectors.scale_selector(selector).matches_pairs(pairs)
        return found

    def tape(self) -> Pods:
        """The states as the kernel reads them; after every `roster`."""
        rows = joined([part for part in (self._rows, *self._extra) if part is not None]) if self._rows else None
        if rows is None:
            nothing = np.empty(0, np.int64)
            return Pods(*([nothing] * len(Pods._fields)))
        begin, end = runs(rows["track"], len(self._keys) + len(self._extra))
        asked, bad = self._requests(rows["resources"])
        return Pods(
            row_from=begin,
            row_to=end,
            **{name: rows[name] for name in Pods._fields if name in rows},
            request=asked,
            bad=bad,
        )

    def _requests(self, resources: Array) -> tuple[Array, Array]:
        """What each state requests of each quantity, and why that cannot be had."""
        count = max(len(self._quantities), 1)
        asked = np.zeros((len(self._resources) + 1, count), np.int64)
        bad = np.full((len(self._resources) + 1, count), -1, np.int64)
        for own in np.unique(resources[resources >= 0]):
            for quantity in range(len(self._quantities)):
                asked[own, quantity], bad[own, quantity] = self._request(int(own), quantity)
        return asked[resources].reshape(-1), bad[resources].reshape(-1)

    def _request(self, own: int, quantity: int) -> tuple[int, int]:
        found = self._asked.get((own, quantity))
        if found is None:
            resource, container = self._quantities.named[quantity]
            containers, init, whole, overhead = self._resources.named[own]
            pod = Pod(
                namespace="",
                name="",
                uid="",
                resource_version="",
                labels=(),
                phase="",
                deleting_us=None,
                start_us=None,
                ready="",
                ready_transition_us=None,
                containers=self._texts.containers(containers),
                init_containers=self._texts.containers(init),
                pod_requests=None if whole is None else self._texts.requests(whole),
                overhead=self._texts.requests(overhead),
            )
            asked = requests([pod], container, resource, self._rules)
            if isinstance(asked, Problem):
                lacks = asked.code == "metric.invalid.container_missing"
                found = (0, ABSENT_CONTAINER if lacks else MISSING_REQUEST)
            else:
                found = (asked[""], -1)
            self._asked[own, quantity] = found
        return found

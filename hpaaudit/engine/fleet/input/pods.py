"""Rows of pods to tracks of states, and which of them each selector sees."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hpaaudit.api import selector as selectors
from hpaaudit.engine.behaviours.table import Rules
from hpaaudit.engine.controller.metrics_client import ZERO_TIME_US, Problem
from hpaaudit.engine.controller.pod_requests import requests
from hpaaudit.engine.fleet.columns.codes import ABSENT_CONTAINER, MISSING_REQUEST
from hpaaudit.engine.fleet.columns.tables import Pods
from hpaaudit.engine.fleet.input.ids import Array, Ids, of_pairs, of_words
from hpaaudit.engine.fleet.input.rows import Rows, in_order, joined, kept, numbers, present, runs
from hpaaudit.engine.fleet.input.tables import PodRows
from hpaaudit.model.target import Container, Pod
from hpaaudit.model.units import Milli

Pairs = tuple[tuple[str, str], ...]

_SHIFT = 32


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
        self._by_labels: dict[int, dict[int, Array]] = {}
        self._relabelled = self._track_names = np.empty(0, np.int64)

    def add(self, table: PodRows | None) -> None:
        """Take the rows of one more slice."""
        parts = [] if self._rows is None else [self._rows]
        if table is not None:
            parts.append(self._read(table))
        if parts:
            self._rows = in_order(joined(parts), "track", "seq")
        self._extra = []
        self._by_labels = {}

    def keep(self, cut: int) -> None:
        """Let go of what no pass from the fact number `cut` on can see."""
        if self._rows is None:
            return
        rows = kept(self._rows, "track", cut)
        # Who is gone before the cut has only that to tell.
        over = (rows["alive"] == 0) & (rows["seq"] < cut)
        self._rows = {name: column[~over] for name, column in rows.items()}

    def _read(self, table: PodRows) -> Rows:
        namespace = of_words(self._names, table.namespace)
        name = of_words(self._names, table.name)
        alive = ~numbers(table.gone).astype(bool)
        phase, ready = table.phase, table.ready
        over = phase.are("Failed")
        if self._rules.succeeded_ignored:
            over = over | phase.are("Succeeded")
        judged = alive & (ready.codes >= 0) & ~ready.are("") & present(table.start_us)
        return {
            "seq": numbers(table.seq),
            "track": of_pairs(self._keys, namespace, name),
            "namespace": namespace,
            "alive": alive.astype(np.int64),
            "ignored": (present(table.deleting_us) | over).astype(np.int64),
            "pending": phase.are("Pending").astype(np.int64),
            "judged": judged.astype(np.int64),
            "ready_false": ready.are("False").astype(np.int64),
            "running": (phase.are("Running") & ready.are("True")).astype(np.int64),
            "start_us": numbers(table.start_us),
            "transition_us": numbers(table.ready_transition_us, int(ZERO_TIME_US)),
            "labels": of_words(self._labels, table.labels_json),
            "resources": self._resources_of(table),
        }

    def _resources_of(self, table: PodRows) -> Array:
        """The number of what each pod's containers request, all of it together."""
        columns = [table.containers_json, table.init_containers_json, table.pod_requests_json, table.overhead_json]
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
        labels = self._labelled().get(self._names.known(namespace), {}) if selector else {}
        seen = [tracks for label, tracks in labels.items() if self._sees(selector, label)]
        if not seen:
            return Roster(tracks=np.empty(0, np.int64), names=np.empty(0, np.int64))
        tracks = seen[0] if len(seen) == 1 else np.unique(np.concatenate(seen))
        names = self._track_names[tracks]
        if len(self._relabelled):
            # A pod whose labels do not always match is seen as a track of its own, which is not there meanwhile.
            unseen = [tracks for label, tracks in labels.items() if not self._sees(selector, label)]
            for track in np.intersect1d(
                np.intersect1d(tracks, self._relabelled), np.concatenate([*unseen, tracks[:0]])
            ):
                tracks = np.where(tracks == track, self._split(int(track), selector), tracks)
        return Roster(tracks=tracks, names=names)

    def _labelled(self) -> dict[int, dict[int, Array]]:
        """The tracks of each namespace by the labels that they have at some time."""
        if not self._by_labels and self._rows is not None:
            rows = self._rows
            there = rows["labels"] >= 0
            pairs = np.unique((rows["track"][there] << _SHIFT) | rows["labels"][there])
            track, label = pairs >> _SHIFT, pairs & ((1 << _SHIFT) - 1)
            self._relabelled = track[1:][track[1:] == track[:-1]]
            known = np.array(self._keys.named, np.int64).reshape(-1, 2)
            self._track_names = known[:, 1]
            namespace = known[track, 0]
            order = np.lexsort([label, namespace])
            track, label, namespace = track[order], label[order], namespace[order]
            begins = np.flatnonzero((np.diff(namespace, prepend=-1) != 0) | (np.diff(label, prepend=-1) != 0))
            ends = np.append(begins[1:], len(track))[: len(begins)]
            for begin, end in zip(begins, ends, strict=True):
                self._by_labels.setdefault(int(namespace[begin]), {})[int(label[begin])] = track[begin:end]
        return self._by_labels

    def _split(self, track: int, selector: str) -> int:
        """A copy of a track that is alive only while the labels match; its number."""
        if self._rows is None:
            raise AssertionError("there are no rows yet")
        mine = self._rows["track"] == track
        copy = {name: column[mine] for name, column in self._rows.items()}
        number = len(self._keys) + len(self._extra)
        matches = [label >= 0 and self._sees(selector, label) for label in copy["labels"].tolist()]
        copy["alive"] = copy["alive"] & np.array(matches)
        copy["track"] = np.full(len(copy["seq"]), number, np.int64)
        self._extra.append(copy)
        return number

    def _sees(self, selector: str, labels: int) -> bool:
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

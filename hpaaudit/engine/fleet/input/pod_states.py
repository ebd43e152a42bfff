"""The states of all pods, and which pods each selector matches."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hpaaudit.api import selector as selectors
from hpaaudit.engine.behaviours.in_force import Behaviours
from hpaaudit.engine.controller.metrics_client import ZERO_TIME_US, Problem
from hpaaudit.engine.controller.pod_requests import calculate_requests
from hpaaudit.engine.eras.annotation_specs import asks_by_annotation
from hpaaudit.engine.eras.pod_averages import phase_of
from hpaaudit.engine.fleet.columns.batch import PodRequests, PodStates, Ranges
from hpaaudit.engine.fleet.columns.column_codes import ABSENT_CONTAINER, MISSING_REQUEST
from hpaaudit.engine.fleet.input.ids import Array, Ids, of_pairs, of_words, paired, unpaired
from hpaaudit.engine.fleet.input.rows import Rows, empty, in_order, joined, needed_after, numbers, present, runs
from hpaaudit.engine.fleet.input.tables import PodRows
from hpaaudit.engine.rules.pod_average import OTHER_PHASE
from hpaaudit.model.target import Container, Pod
from hpaaudit.model.units import Milli

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PodTexts:
    """How the JSON in the columns of a pod is read."""

    labels: Callable[[str], Pairs]
    containers: Callable[[str], tuple[Container, ...]]
    requests: Callable[[str], tuple[tuple[str, Milli], ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectedPods:
    """The pods that one selector matches: the number of the history of each, and of its name."""

    histories: Array
    names: Array


_NO_PODS = SelectedPods(histories=np.empty(0, np.int64), names=np.empty(0, np.int64))


class PodTable:
    """The pods of a fleet, slice after slice.

    A history is the states of all pods of one namespace and name, in the order of time.
    """

    def __init__(
        self, behaviours: Behaviours, quantities: Ids[tuple[str, str]], names: Ids[str], texts: PodTexts
    ) -> None:
        self._behaviours = behaviours
        self._quantities = quantities
        self._names = names
        self._texts = texts
        self._read_selector = selectors.scale_selector if behaviours.scale_client else selectors.parse
        self._keys: Ids[tuple[int, int]] = Ids()
        self._labels: Ids[str] = Ids()
        self._resources: Ids[tuple[str, str, str | None, str]] = Ids()
        self._requested: dict[tuple[int, int], tuple[int, int]] = {}
        self._matches: dict[tuple[str, int], bool] = {}
        self._rows: Rows | None = None
        self._extra: list[Rows] = []
        self._by_labels: dict[int, dict[int, Array]] = {}
        self._selected: dict[tuple[str, str, bool], SelectedPods] = {}
        self._is_sorted = asks_by_annotation(behaviours)
        self._relabelled = self._pod_names = np.empty(0, np.int64)

    def add(self, table: PodRows | None) -> None:
        """Takes the rows of one more slice."""
        parts = [] if self._rows is None else [self._rows]
        if table is not None:
            parts.append(self._read(table))
        if parts:
            self._rows = in_order(joined(parts), "history", "seq")
        self._extra = []
        self._by_labels = {}
        self._selected = {}

    def drop_before(self, cut: int) -> None:
        """Drops the states that no reconcile after fact `cut` can read."""
        if self._rows is None:
            return
        rows = needed_after(self._rows, "history", cut)
        # Of a pod that is gone before the cut nothing is needed.
        is_over = (rows["exists"] == 0) & (rows["seq"] < cut)
        self._rows = {name: column[~is_over] for name, column in rows.items()}

    def _read(self, table: PodRows) -> Rows:
        """The states of one table."""
        namespace = of_words(self._names, table.namespace)
        name = of_words(self._names, table.name)
        exists = ~numbers(table.gone).astype(bool)
        phase, ready = table.phase, table.ready
        ended = phase.are("Failed")
        if self._behaviours.succeeded_ignored:
            ended = ended | phase.are("Succeeded")
        ignored = ended | present(table.deleting_us) if self._behaviours.readiness_by_time else phase.are("Failed")
        has_readiness = exists & (ready.codes >= 0) & ~ready.are("") & present(table.start_us)
        return {
            "seq": numbers(table.seq),
            "history": of_pairs(self._keys, namespace, name),
            "namespace": namespace,
            "exists": exists.astype(np.int64),
            "ignored": ignored.astype(np.int64),
            "phase": np.array([*map(phase_of, phase.words), OTHER_PHASE], np.int64)[phase.codes],
            "has_readiness": has_readiness.astype(np.int64),
            "ready_false": ready.are("False").astype(np.int64),
            "is_running": (phase.are("Running") & ready.are("True")).astype(np.int64),
            "start_us": numbers(table.start_us),
            "ready_transition_us": numbers(table.ready_transition_us, int(ZERO_TIME_US)),
            "labels": of_words(self._labels, table.labels_json),
            "resources": self._resources_of(table),
        }

    def _resources_of(self, table: PodRows) -> Array:
        """The number of everything that each pod requests, which repeats."""
        columns = [table.containers_json, table.init_containers_json, table.pod_requests_json, table.overhead_json]
        codes = np.stack([column.codes.astype(np.int64) for column in columns])
        distinct, places = np.unique(codes, axis=1, return_inverse=True)
        resources = []
        for row in distinct.T:
            texts = [None if code < 0 else column.words[code] for code, column in zip(row, columns, strict=True)]
            containers, init, whole, overhead = texts
            resources.append(
                -1 if containers is None else self._resources.of((containers, init or "[]", whole, overhead or "{}"))
            )
        return np.array(resources, np.int64)[places.reshape(-1)] if resources else np.empty(0, np.int64)

    def selected(self, namespace: str, selector: str, *, empty_selects_all: bool = False) -> SelectedPods:
        """The pods of a namespace that a selector matches at some time of the slice; after `add`.

        Without a selector there are none, unless `empty_selects_all`. For 1.1 to 1.5 they are in the order of names.
        """
        key = (namespace, selector, empty_selects_all)
        if key not in self._selected:
            selects = bool(selector) or empty_selects_all
            pods = self._select(namespace, selector) if selects else _NO_PODS
            self._selected[key] = self._in_order(pods) if self._is_sorted else pods
        return self._selected[key]

    def _in_order(self, pods: SelectedPods) -> SelectedPods:
        """The pods in the order of their names."""
        texts = [self._names.named[name] for name in pods.names.tolist()]
        order = np.array(sorted(range(len(texts)), key=texts.__getitem__), np.int64)
        return SelectedPods(histories=pods.histories[order], names=pods.names[order])

    def _select(self, namespace: str, selector: str) -> SelectedPods:
        labels = self._labelled().get(self._names.number_of(namespace), {})
        matching = [histories for label, histories in labels.items() if self._matches_labels(selector, label)]
        if not matching:
            return _NO_PODS
        histories = matching[0] if len(matching) == 1 else np.unique(np.concatenate(matching))
        names = self._pod_names[histories]
        if len(self._relabelled):
            # A pod whose labels do not always match gets a history of its own, in which it does not exist meanwhile.
            others = [histories for label, histories in labels.items() if not self._matches_labels(selector, label)]
            for history in np.intersect1d(
                np.intersect1d(histories, self._relabelled), np.concatenate([*others, histories[:0]])
            ):
                histories = np.where(histories == history, self._split(int(history), selector), histories)
        return SelectedPods(histories=histories, names=names)

    def _labelled(self) -> dict[int, dict[int, Array]]:
        """The histories of each namespace by the labels that they have at some time."""
        if not self._by_labels and self._rows is not None:
            rows = self._rows
            there = rows["labels"] >= 0
            history, label = unpaired(np.unique(paired(rows["history"][there], rows["labels"][there])))
            self._relabelled = history[1:][history[1:] == history[:-1]]
            namespaces_and_names = np.array(self._keys.named, np.int64).reshape(-1, 2)
            self._pod_names = namespaces_and_names[:, 1]
            namespace = namespaces_and_names[history, 0]
            order = np.lexsort([label, namespace])
            history, label, namespace = history[order], label[order], namespace[order]
            begins = np.flatnonzero((np.diff(namespace, prepend=-1) != 0) | (np.diff(label, prepend=-1) != 0))
            ends = np.append(begins[1:], len(history))[: len(begins)]
            for begin, end in zip(begins, ends, strict=True):
                self._by_labels.setdefault(int(namespace[begin]), {})[int(label[begin])] = history[begin:end]
        return self._by_labels

    def _split(self, history: int, selector: str) -> int:
        """A copy of a history in which the pod exists only while its labels match; the number of the copy."""
        if self._rows is None:
            raise AssertionError("there are no rows yet")
        mine = self._rows["history"] == history
        copy = {name: column[mine] for name, column in self._rows.items()}
        number = len(self._keys) + len(self._extra)
        matches = [label >= 0 and self._matches_labels(selector, label) for label in copy["labels"].tolist()]
        copy["exists"] = copy["exists"] & np.array(matches)
        copy["history"] = np.full(len(copy["seq"]), number, np.int64)
        self._extra.append(copy)
        return number

    def _matches_labels(self, selector: str, labels: int) -> bool:
        matches = self._matches.get((selector, labels))
        if matches is None:
            pairs = self._texts.labels(self._labels.named[labels])
            matches = self._matches[selector, labels] = self._read_selector(selector).matches_pairs(pairs)
        return matches

    def columns(self) -> dict[str, Any]:
        """The fields of `InputBatch` that this table has; after every call of `selected`."""
        rows = joined([part for part in (self._rows, *self._extra) if part is not None]) if self._rows else None
        if rows is None:
            rows = empty((*PodStates._fields, "history", "resources"))
        return {
            "pod_ranges": Ranges(*runs(rows["history"], len(self._keys) + len(self._extra))),
            "pods": PodStates(**{name: rows[name] for name in PodStates._fields}),
            "pod_requests": self._requests(rows["resources"]),
        }

    def _requests(self, resources: Array) -> PodRequests:
        """The request of each state for each quantity, and the problem where there is none."""
        count = max(len(self._quantities), 1)
        requests = np.zeros((len(self._resources) + 1, count), np.int64)
        problems = np.full((len(self._resources) + 1, count), -1, np.int64)
        for number in np.unique(resources[resources >= 0]):
            for quantity in range(len(self._quantities)):
                requests[number, quantity], problems[number, quantity] = self._request(int(number), quantity)
        return PodRequests(requests[resources].reshape(-1), problems[resources].reshape(-1))

    def _request(self, number: int, quantity: int) -> tuple[int, int]:
        """The request of one number of resources for a quantity, and its problem, -1 without."""
        request_and_problem = self._requested.get((number, quantity))
        if request_and_problem is None:
            resource, container = self._quantities.named[quantity]
            containers, init, whole, overhead = self._resources.named[number]
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
            request = calculate_requests([pod], container, resource, self._behaviours)
            if isinstance(request, Problem):
                is_absent = request.code == "metric.invalid.container_missing"
                request_and_problem = (0, ABSENT_CONTAINER if is_absent else MISSING_REQUEST)
            else:
                request_and_problem = (request[""], -1)
            self._requested[number, quantity] = request_and_problem
        return request_and_problem

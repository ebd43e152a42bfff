"""Turns facts about HPAs, controllers and gaps into rows. A state is stored only when it changed."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import singledispatchmethod
from typing import Any

from hpaaudit.api.canonical import only_removes
from hpaaudit.api.decode import decode_hpa
from hpaaudit.model.audit import RecordingInfo, Replay
from hpaaudit.model.facts import (
    ControllerSeen,
    Fact,
    Gap,
    HpaGone,
    HpaSeen,
    LeaseSeen,
    VersionRead,
)
from hpaaudit.model.hpa import HpaSpec, HpaStatus
from hpaaudit.model.identity import object_key
from hpaaudit.model.units import Micros
from hpaaudit.results import fact_rows
from hpaaudit.results.batches import Batches
from hpaaudit.results.epochs import Epochs


@dataclass(slots=True)
class _Hpa:
    """The last spec and status of an HPA, and the rows that wait for the end of what they describe."""

    identity: dict[str, Any]
    row: dict[str, Any]
    spec: tuple[str, HpaSpec] | None = None
    status: tuple[str, HpaStatus] | None = None
    spec_row: dict[str, Any] | None = None


@dataclass(slots=True)
class PublishedStatuses:
    """The statuses that the controller published for one HPA.

    summaries   desired replicas, and type and reason of each condition
    """

    at_us: list[Micros] = field(default_factory=list)
    summaries: list[tuple[int | None, frozenset[tuple[str, str]]]] = field(default_factory=list)


EVERYTHING = "*"
"""The prefix of a gap of all requests."""


class FactTables:
    """Takes facts in the order in which they were recorded, and writes their rows.

    statuses   whether published statuses are written too; those of a fleet are so many that SQL copies them
    """

    def __init__(self, batches: Batches, info: RecordingInfo, replay: Replay) -> None:
        self.statuses = True
        self.published: dict[str, PublishedStatuses] = {}
        self.gaps: list[tuple[Micros, Micros]] = []
        self._batches = batches
        self._info = info
        self._replay_id = replay.replay_id
        self._asked_hpas = replay.hpas
        self._hpas: dict[str, _Hpa] = {}
        self._epochs = Epochs(replay.release, replay.releases, replay.lease_duration_us)
        self._lease_gaps: list[tuple[Micros, Micros]] = []
        self._version = ""
        self._versions: list[tuple[Micros, str]] = []
        self._clock_offset_us: Micros | None = None

    def add(self, facts: Iterable[Fact]) -> None:
        """Takes facts. Other kinds are skipped, because SQL copies them from the recording."""
        for fact in facts:
            self._take(fact)

    def finish(self) -> None:
        """Writes the rows that waited for the end of what they describe."""
        for hpa in self._hpas.values():
            self._close_spec(hpa, None)
            self._batches.add("runs.hpas", [hpa.row])
        outages = self._epochs.outages(self._lease_gaps, self._info.ended_us)
        self._batches.add("runs.controller_epochs", self._epochs.rows(self._replay_id, outages))
        self._batches.add("runs.controller_outages", fact_rows.outages(self._replay_id, outages))
        self._batches.add("runs.recordings", [self._recording()])

    def _recording(self) -> dict[str, Any]:
        info = self._info
        return {
            "replay_id": self._replay_id,
            "recording_id": info.manifest_sha256,
            "path": info.path,
            "source": info.source,
            "cluster": info.cluster,
            "started_at": info.started_us,
            "ended_at": info.ended_us,
            "k8s_version": self._version,
            "k8s_version_changes": json.dumps(
                [{"at_us": at_us, "version": said} for at_us, said in self._versions[1:]]
            ),
            "recorder_version": info.recorder_version,
            "format_version": info.format_version,
            "clock_offset_ms": None if self._clock_offset_us is None else self._clock_offset_us / 1000,
        }

    @singledispatchmethod
    def _take(self, fact: Any) -> None:
        """Skips a fact of another kind."""

    @_take.register
    def _(self, fact: HpaSeen) -> None:
        key = object_key(fact.uid, fact.namespace, fact.name)
        decoded = decode_hpa(fact)
        hpa = self._hpas.get(key)
        if hpa is None:
            identity = dict(fact_rows.hpa_identity(self._replay_id, fact))
            row = {
                **identity,
                "api_version": fact.api_version,
                "created_at": fact.created_us,
                "seen_at": fact.at_us,
                "is_asked": not self._asked_hpas or f"{fact.namespace}/{fact.name}" in self._asked_hpas,
            }
            for before in self._hpas.values():
                if before.row["namespace"] == fact.namespace and before.row["name"] == fact.name:
                    self._end(before, fact.at_us)  # its deletion was not seen
            hpa = self._hpas[key] = _Hpa(identity, row)
        if fact.labels_json is not None:
            hpa.row["labels"] = fact.labels_json
        # Of `autoscaling/v1` a part of both stands in annotations, so the JSON alone does not tell a change.
        spec, status = (fact.spec_json, decoded.spec), (fact.status_json, decoded.status)
        if spec != hpa.spec:
            self._close_spec(hpa, fact.at_us)
            hpa.spec_row = dict(fact_rows.hpa_spec(fact, decoded, hpa.identity))
            if hpa.spec is not None and only_removes(hpa.spec[0], fact.spec_json):
                # Taking a field away leaves no trace in managedFields: who wrote last is not who did this.
                hpa.spec_row["writer_manager"] = ""
            hpa.spec = spec
            hpa.row |= {"target_kind": decoded.spec.target.kind, "target_name": decoded.spec.target.name}
        if self.statuses and status != hpa.status:
            hpa.status = status
            same, shown = hpa.identity, decoded.status
            self._batches.add("runs.hpa_status", [fact_rows.hpa_status(fact, shown, same)])
            self._batches.add("runs.hpa_conditions", fact_rows.hpa_conditions(fact, shown, same))
            self._batches.add("runs.hpa_status_metrics", fact_rows.hpa_status_metrics(fact, shown, same))
            published = self.published.setdefault(key, PublishedStatuses())
            published.at_us.append(fact.at_us)
            published.summaries.append(
                (shown.desired_replicas, frozenset((c.type, c.reason) for c in shown.conditions))
            )

    def _close_spec(self, hpa: _Hpa, at_us: Micros | None) -> None:
        if hpa.spec_row is not None:
            self._batches.add("runs.hpa_specs", [{**hpa.spec_row, "valid_to": at_us}])

    def _end(self, hpa: _Hpa, at_us: Micros) -> None:
        """Ends an HPA that was deleted at this time or, unseen, before it."""
        hpa.row.setdefault("deleted_at", at_us)
        self._close_spec(hpa, at_us)
        hpa.spec = hpa.spec_row = None

    @_take.register
    def _(self, fact: HpaGone) -> None:
        hpa = self._hpas.get(object_key(fact.uid, fact.namespace, fact.name))
        if hpa is not None:
            self._end(hpa, fact.at_us)

    @_take.register
    def _(self, fact: Gap) -> None:
        self._batches.add("runs.coverage_gaps", [fact_rows.gap(self._replay_id, fact)])
        self.gaps.append((fact.at_us, fact.until_us))
        if fact.prefix == EVERYTHING or "/leases" in fact.prefix:
            self._lease_gaps.append((fact.at_us, fact.until_us))

    @_take.register
    def _(self, fact: VersionRead) -> None:
        self._version = fact.version
        if fact.version not in (said for _, said in self._versions):
            self._versions.append((fact.at_us, fact.version))
        self._clock_offset_us = fact.clock_offset_us

    @_take.register
    def _(self, fact: ControllerSeen) -> None:
        self._epochs.add(fact)
        self._version = self._version or fact.version

    @_take.register
    def _(self, fact: LeaseSeen) -> None:
        self._epochs.add(fact)

"""Reads captures, JSON lines with answers of the Kubernetes API, as facts in the order of time."""

import heapq
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hpaaudit.api import client_errors, requests, times, to_facts
from hpaaudit.api.canonical import canonical_json
from hpaaudit.errors import BadCapture
from hpaaudit.importers.capture_lines import numbered
from hpaaudit.importers.object_states import POLLED, WORKLOADS, ObjectStates, resource_path
from hpaaudit.importers.repeated_lines import RepeatedLines, digest_of
from hpaaudit.importers.seldom_looks import SeldomLooks
from hpaaudit.model.facts import (
    ControllerSeen,
    Ended,
    Fact,
    Gap,
    Reconciled,
    ScaleWritten,
    StatusWritten,
    VersionRead,
)
from hpaaudit.model.units import LAST_US, SECOND, Micros

_OK = range(200, 300)
_WRITES = ("put", "patch", "post", "delete")
_MAX_BACKWARDS_US = SECOND
_REASON_CHARS = 300
_MAX_HOLE_US = Micros(30 * SECOND)
"""Between two files. In a capture that was only cut into files, every reconcile is a line."""
_FAILED_IGNORED = 12
"""Since 1.12 no metric counts a pod that failed."""
_REPEATED = "the same as another line"
_MAX_VALUES = 4_000_000  # in a line; each takes about 100 bytes of memory


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a capture."""

    at_us: Micros
    file: str
    number: int
    fields: Mapping[str, Any]
    digest: bytes

    @property
    def where(self) -> str:
        """File and line, for an error."""
        return f"{self.file}:{self.number}"


@dataclass(slots=True)
class Reader:
    """Reads captures as facts.

    ignored   counts of lines that were not understood;  where  file and line of the newest fact
    begun     files of which a line was read, and that go on
    minor     of the release of the controller that is running: its client words the errors
    read      how many lines were read, of `lines` in all;  looks  at scales
    """

    files: tuple[Path, ...]
    ignored: Counter[str] = field(default_factory=Counter)
    where: str = ""
    begun: set[str] = field(default_factory=set)
    minor: int = client_errors.TODAY
    read: int = 0
    lines: int = 0
    looks: SeldomLooks = field(default_factory=SeldomLooks)

    def facts(self) -> Iterator[Fact]:
        """The facts of all files, merged by time. BadCapture with file and line if one cannot be read."""
        files = tuple(dict.fromkeys(self.files))  # a shell's pattern and a name may be one file
        watching, is_polled, self.lines = watched(files)
        states = ObjectStates(watching=watching, polled=POLLED - watching if is_polled else frozenset())
        self.looks.active = is_polled and watching.isdisjoint(WORKLOADS)
        repeated = RepeatedLines()
        last_us: Micros | None = None
        for line in heapq.merge(*(self._of_file(path) for path in files), key=lambda line: line.at_us):
            self.where = line.where
            self.read += 1
            if last_us is None:
                states.pods.begun_us = line.at_us
            elif not self.begun and line.at_us > last_us + _MAX_HOLE_US:
                yield from states.unobserved(last_us, line.at_us)
            last_us = line.at_us if last_us is None else max(last_us, line.at_us)
            if "end" in line.fields:
                self.begun.discard(line.file)
            else:
                self.begun.add(line.file)
            if repeated.add(line.at_us, line.file, line.digest, is_read="get" in line.fields):
                self.ignored[_REPEATED] += 1
                continue
            try:
                for fact in self._line(line, states):
                    states.pods.target(fact)
                    yield from self.looks.gap(fact)
                    yield fact
            except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
                raise BadCapture(f"{line.where}: {_reason(error)}; correct or drop this line") from error
        if last_us is not None:
            yield from states.ended(last_us)
            yield Ended(at_us=last_us)

    def _of_file(self, path: Path) -> Iterator[Line]:
        """The lines of one file, which covers no later time."""
        yield from lines(path)
        self.begun.discard(str(path))

    def _line(self, line: Line, states: ObjectStates) -> Iterable[Fact]:  # noqa: PLR0911  # one for each kind of line
        fields = line.fields
        match fields:
            case {"get": str(path)}:
                return self._answer(line, path, states)
            case {"watch": str(path)}:
                return self._counted(path, states.watched(line.at_us, path, fields["type"], fields.get("object")))
            case {"reconcile": str(key)}:
                namespace, name = key.split("/", 1)
                states.pods.decided[namespace] = line.at_us
                began = fields.get("began")
                began_us = line.at_us if began is None else times.micros(began)
                return [Reconciled(at_us=line.at_us, namespace=namespace, name=name, began_us=began_us)]
            case {"controller": str(state)}:
                controller = _controller(line.at_us, state, fields)
                match = re.match(r"v?1\.(\d+)", controller.release or controller.version)
                self.minor = int(match[1]) if match else self.minor
                with suppress(ValueError):
                    period = dict(controller.flags).get("horizontal-pod-autoscaler-sync-period") or "15s"
                    self.looks.period_us = times.duration(period)
                states.pods.ignores_failed = self.minor >= _FAILED_IGNORED
                return [controller]
            case {"gap": str(prefix)}:
                until_us = times.micros(fields["until"])
                before = states.untold(line.at_us, until_us, prefix)
                return [
                    *before,
                    Gap(at_us=line.at_us, until_us=until_us, prefix=prefix, cause=fields.get("cause") or ""),
                ]
            case {"end": True}:
                return []  # every capture ends with its last line
        for verb in _WRITES:
            if verb in fields:
                return self._write(line, verb, fields[verb], states)
        self.ignored["unknown kind of line"] += 1
        return []

    def _counted(self, path: str, facts: Iterable[Fact] | None) -> Iterable[Fact]:
        if facts is None:
            self.ignored[requests.split(path)[0][-1]] += 1
            return []
        return facts

    def _answer(self, line: Line, path: str, states: ObjectStates) -> Iterable[Fact]:
        fields = line.fields
        status, body, by = int(fields["status"]), fields.get("body"), fields.get("by") or ""
        error = fields.get("error") or ""
        took_us = Micros(round(float(fields.get("ms") or 0) * 1000))
        plain = path.partition("?")[0]
        if plain == "/version":
            version = body.get("gitVersion", "") if isinstance(body, Mapping) else ""
            return [VersionRead(at_us=line.at_us, version=version, clock_offset_us=None, round_trip_us=took_us)]
        if requests.scale_target(path) is not None:
            return [to_facts.scale_read(line.at_us, took_us, path, status, body, error, by, self.minor)]
        if requests.metrics_request(path) is not None:
            return [to_facts.metrics_read(line.at_us, took_us, path, status, body, error, by, self.minor)]
        if requests.heapster_path(path) is not None:
            return [to_facts.heapster_read(line.at_us, took_us, path, status, body, error, by, self.minor)]
        facts = self._counted(path, states.answered(line.at_us, path, status, body, by))
        if by and requests.pod_list(path) is not None:
            # The controllers up to 1.11 listed pods in each reconcile, and said so where that failed.
            return [*facts, to_facts.pods_listed(line.at_us, took_us, path, status, body, error, by, self.minor)]
        return facts

    def _write(self, line: Line, verb: str, path: str, states: ObjectStates) -> Iterable[Fact]:
        if requests.is_dry_run(path):
            self.ignored["dry run, which stores nothing"] += 1
            return []
        fields = line.fields
        status, body, sent = int(fields["status"]), fields.get("body"), fields.get("request")
        good = status in _OK
        took_us = Micros(round(float(fields.get("ms") or 0) * 1000))
        error = (
            "" if good else client_errors.error_text(verb, path, status, body, fields.get("error") or "", self.minor)
        )
        by, after = fields.get("by") or "", body if good and isinstance(body, Mapping) else None
        target = requests.scale_target(path)
        if target is not None:
            shown = after or (sent if isinstance(sent, Mapping) else None)
            return [
                ScaleWritten(
                    at_us=line.at_us,
                    took_us=took_us,
                    target=target,
                    path=path,
                    verb=verb,
                    status=status,
                    error=error,
                    by=by,
                    agent=fields.get("agent") or "",
                    manager=fields.get("manager") or "",
                    sent=None if shown is None else (shown.get("spec") or {}).get("replicas") or 0,
                    scale=None if after is None else to_facts.scale_of(after),
                    resource_version="" if after is None else (after.get("metadata") or {}).get("resourceVersion", ""),
                )
            ]
        parts, _ = requests.split(path)
        if parts[-1] == "status" and parts[-3:-2] == ["horizontalpodautoscalers"]:
            shown = after or (sent if isinstance(sent, Mapping) else {})
            written = StatusWritten(
                at_us=line.at_us,
                took_us=took_us,
                namespace=parts[-4],
                name=parts[-2],
                path=path,
                status=status,
                error=error,
                by=by,
                status_json=canonical_json(shown.get("status") or {}),
                resource_version="" if after is None else (after.get("metadata") or {}).get("resourceVersion", ""),
            )
            return [
                written,
                *(states.written(line.at_us, path.partition("?")[0].removesuffix("/status"), after) or ()),
            ]
        if verb == "delete":
            return self._counted(path, states.deleted(line.at_us, path, good=good))
        return self._counted(path, states.written(line.at_us, path, after))


def _controller(at_us: Micros, state: str, fields: Mapping[str, Any]) -> ControllerSeen:
    if state not in ("started", "stopped", "declared"):
        raise ValueError(f"controller must be started, stopped or declared, not {state!r}")
    return ControllerSeen(
        at_us=at_us,
        state=state,
        release=fields.get("release") or "",
        version=fields.get("version") or "",
        flags=tuple(sorted((str(k), str(v)) for k, v in (fields.get("flags") or {}).items())),
        gates=tuple(sorted((str(k), bool(v)) for k, v in (fields.get("gates") or {}).items())),
    )


def lines(path: Path) -> Iterator[Line]:
    """The lines of one file. BadCapture for a line that is not JSON, or earlier than one before it."""
    newest = Micros(0)
    for number, text in numbered(path):
        line = _parsed(path, number, text)
        if line.at_us < newest - _MAX_BACKWARDS_US:
            raise BadCapture(
                f"{line.where}: this line is {(newest - line.at_us) / SECOND:.3f} s earlier than one before "
                "it; sort the file by its field at"
            )
        newest = max(newest, line.at_us)
        yield line


_TOLD = re.compile(
    rb'"reconcile"\s*:|"(?:put|patch)"\s*:\s*"[^"]{1,2000}/horizontalpodautoscalers/[^"]{1,2000}/status"'
)
_WATCH = re.compile(rb'"watch"\s*:\s*"([^"]{1,2000})"')


def watched(files: Iterable[Path]) -> tuple[frozenset[str], bool, int]:
    """The resources that any of the captures watched, for which the watch counts, not the writes.

    Also whether all that is known of HPAs was read, and nothing told of a reconcile or wrote its status; and all lines.
    """
    paths: set[bytes] = set()
    count = 0
    is_polled = True
    for path in files:
        with suppress(BadCapture):  # reading the lines reports a damaged file
            for _, text in numbered(path):
                count += 1
                is_polled = is_polled and not _TOLD.search(text)
                if match := _WATCH.search(text):
                    paths.add(match[1])
    parsed = (resource_path(path.decode(errors="replace")) for path in paths)
    return frozenset(path.resource for path in parsed if path is not None), is_polled, count


def _parsed(path: Path, number: int, text: bytes) -> Line:
    values = text.count(b",") + text.count(b"[") + text.count(b"{")
    if values > _MAX_VALUES:
        raise BadCapture(f"{path}:{number}: {values:,} values in one line; ask for lists in pages (limit=500)")
    try:
        fields = json.loads(text.decode(), parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise BadCapture(f"{path}:{number}: cannot be read further ({error}); a capture is UTF-8") from error
    except RecursionError as error:
        raise BadCapture(f"{path}:{number}: nested too deeply; a capture has one JSON object per line") from error
    except ValueError as error:
        raise BadCapture(f"{path}:{number}: not JSON ({error}); a capture has one JSON object per line") from error
    if not isinstance(fields, dict):
        raise BadCapture(f"{path}:{number}: not a JSON object; a capture has one JSON object per line")
    try:
        at_us = _captured_at(fields["at"])
    except (KeyError, TypeError, ValueError) as error:
        raise BadCapture(f"{path}:{number}: {_reason(error)}; every line needs at, an RFC 3339 time") from error
    return Line(at_us, str(path), number, fields, digest_of(text))


def _captured_at(text: str) -> Micros:
    """The time of a line. ValueError before 1970 and after 8999."""
    at_us = times.micros(text)
    if not 0 <= at_us <= LAST_US:
        raise ValueError(f"{text!r} is before 1970 or after 8999")
    return at_us


def _refuse_constant(word: str) -> None:
    """Refuses NaN and infinity, which Python reads although they are not JSON."""
    raise ValueError(f"{word} is no JSON")


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "nested too deeply"
    reason = f"the field {error} is missing" if isinstance(error, KeyError) else str(error)
    return reason if len(reason) <= _REASON_CHARS else f"{reason[:_REASON_CHARS]}…"

"""Packs the reconciles of an HPA into the text that the page carries: columns, differences, gzip, base64.

What is packed begins with a line of JSON: names, texts, and the columns that follow as bytes. A column has one number
for each reconcile, as its difference to the one before, or as it is where that is smaller. A number is zigzag-coded
(0, -1, 1, -2 ... are 0, 1, 2, 3 ...), one more than that (0 stands for: unknown), in groups of seven bits, the lowest
first. `unpack.js` reads it.
"""

import base64
import gzip
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from hpaaudit.api.zone import offsets_us
from hpaaudit.model.hpa_columns import HpaColumns, MetricColumns, Numbers
from hpaaudit.model.units import SECOND
from hpaaudit.report.shown import shown
from hpaaudit.report.timeline import words_of_mark

_STEPS_OF_TARGET = 100
"""A value that is no percentage is kept to this part of its target."""

_LAST_OF_ONE_BYTE = 127


def packed(hpa: HpaColumns, more: Mapping[str, Any]) -> str:
    """The packed reconciles. `more` is JSON that goes along, such as the texts of explanations."""
    count = len(hpa.times_us)
    offsets = offsets_us(hpa.started_us, hpa.ended_us)
    head: dict[str, Any] = {
        "count": count,
        "start": hpa.started_us // SECOND,
        "end": -(-hpa.ended_us // SECOND),
        "ahead": [[-(-from_us // SECOND), ahead_us // SECOND] for from_us, ahead_us in offsets],
        "scales": [[scale.at_us / SECOND, scale.from_replicas, scale.to_replicas] for scale in hpa.scales],
        "marks": [
            [mark.kind, mark.at_us / SECOND, None if mark.until_us is None else mark.until_us / SECOND,
             shown(words_of_mark(mark))]
            for mark in hpa.marks
        ],
        "absences": [
            [one.at_us / SECOND, None if one.until_us is None else one.until_us / SECOND, one.is_target]
            for one in hpa.absences
        ],
        "told": [place for place, number in enumerate(hpa.reconcile_ids) if number in hpa.told],
        "metrics": [],
        "words": {},
        **more,
    }  # fmt: skip
    columns: dict[str, Numbers] = {"time": [at_us // SECOND - head["start"] for at_us in hpa.times_us]}
    columns |= hpa.numbers
    for name, words in hpa.words.items():
        index = {word: place for place, word in enumerate(dict.fromkeys(words))}
        head["words"][name] = list(index)
        columns[name] = [index[word] for word in words]
    for number, metric in enumerate(hpa.metrics):
        unit = _unit(metric)
        head["metrics"].append(
            {"name": shown(metric.name), "type": metric.target_type, "unit": unit, "tolerance": metric.tolerance}
        )
        columns[f"value{number}"] = [*_steady(metric.values, unit)] if unit > 1 else metric.values
        columns[f"target{number}"] = metric.targets
    head["columns"], body = _encoded(columns)
    text = json.dumps(head, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
    return base64.b64encode(gzip.compress(text + body, 9, mtime=0)).decode()


def _unit(metric: MetricColumns) -> int:
    """What a step of the stored values stands for: 1, or a small part of the target."""
    if metric.target_type == "Utilization":
        return 1
    return max(max((target for target in metric.targets if target), default=0) // _STEPS_OF_TARGET, 1)


def _steady(values: Numbers, unit: int) -> Iterator[int | None]:
    """The values in steps, a step aside taken for the same: noise takes much room."""
    last = 0
    for value in values:
        if value is None:
            yield None
        else:
            step = round(value / unit)
            last = step if abs(step - last) > 1 else last
            yield last


def _encoded(columns: Mapping[str, Numbers]) -> tuple[list[list[Any]], bytes]:
    """What the columns are, and their bytes: `=` with its one number, `+` differences, `.` numbers."""
    described: list[list[Any]] = []
    body: list[bytes] = []
    for name, numbers in columns.items():
        if len(set(numbers)) <= 1:
            described.append([name, "=", next(iter(numbers), None)])
            continue
        plain, differences = _bytes(numbers), _bytes(_differences(numbers))
        is_smaller = len(zlib.compress(differences, 1)) < len(zlib.compress(plain, 1))
        described.append([name, "+" if is_smaller else "."])
        body.append(differences if is_smaller else plain)
    return described, b"".join(body)


def _differences(numbers: Iterable[int | None]) -> Iterator[int | None]:
    last = 0
    for number in numbers:
        if number is None:
            yield None
        else:
            yield number - last
            last = number


def _bytes(numbers: Iterable[int | None]) -> bytes:
    out = bytearray()
    for number in numbers:
        code = 0 if number is None else (number << 1 if number >= 0 else (-number << 1) - 1) + 1
        while code > _LAST_OF_ONE_BYTE:
            out.append(code & _LAST_OF_ONE_BYTE | 128)
            code >>= 7
        out.append(code)
    return bytes(out)

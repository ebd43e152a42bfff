"""Shows a recording, results, an answer, a timeline and one decision in a notebook."""

import base64
from html import escape
from typing import Any

from hpaaudit.errors import AuditError
from hpaaudit.flows.inspect import inspect
from hpaaudit.flows.query import account
from hpaaudit.flows.timeline import timeline
from hpaaudit.model.account import ReconcileAccount
from hpaaudit.model.counted import counted
from hpaaudit.model.inspection import Inspection
from hpaaudit.model.timeline import Timeline
from hpaaudit.model.units import Micros
from hpaaudit.recording.reading.recording import Recording
from hpaaudit.report.explain import explain_text
from hpaaudit.report.fleet import fleet_headline
from hpaaudit.report.inspect import inspection_text
from hpaaudit.report.replay import change_rows, clock_of, count_lines
from hpaaudit.report.settings import part_in_words
from hpaaudit.report.svg import picture, standalone
from hpaaudit.report.text import printable
from hpaaudit.report.text_table import are_numbers, cell, table
from hpaaudit.report.timeline import Screen, timeline_text
from hpaaudit.report.told_times import rows_in_zone
from hpaaudit.report.verdict import verdict
from hpaaudit.results.answer import Answer
from hpaaudit.results.read import Results

DRAWN = 3
"""So many HPAs of results are shown; the others are counted."""

ROWS = 100
"""So many rows of an answer are shown; the others are counted."""


def html(value: object) -> str:
    """A value that is `Shown` as HTML. Every text in it is escaped."""
    match value:
        case Recording():
            return _preformatted(inspection_text(inspect(value)))
        case Inspection():
            return _preformatted(inspection_text(value))
        case Results():
            return _results(value)
        case Answer():
            return _table(value)
        case Timeline():
            return _picture(value, _changes(value))
        case ReconcileAccount():
            return _picture_of(value) + _preformatted(explain_text(value))
    raise TypeError(f"{type(value).__name__} is not shown")


def text(value: object) -> str:
    """The text of a value, the same that its command prints."""
    match value:
        case Inspection():
            return inspection_text(value)
        case Timeline():
            return timeline_text(value, Screen())
        case Answer():
            return _lines(value)
        case ReconcileAccount():
            return explain_text(value)
    raise TypeError(f"{type(value).__name__} is not printed")


def _preformatted(shown: str) -> str:
    return f"<pre>{escape(shown)}</pre>"


def _lines(answer: Answer) -> str:
    """The first rows of an answer as a table of text."""
    rows = _rows(answer)
    if rows is None:
        return repr(answer)
    return "\n".join([*([table(answer.columns, rows[:ROWS])] if rows else []), _counted(rows, answer.results)])


def _rows(answer: Answer) -> list[tuple[Any, ...]] | None:
    """Its rows, with times in the zone that is in use; None once its results are closed."""
    try:
        return rows_in_zone(answer.columns, answer.rows())
    except AuditError:
        return None


def _counted(rows: list[tuple[Any, ...]], results: Results) -> str:
    """How many rows there are; of none, which part of the recording the results cover, if not all of it."""
    if not rows and (part := part_in_words(str(results.path), results.options, results.span)):
        return f"0 rows; {printable(part)}"
    return f"{counted(len(rows), 'row')}" + (f", the first {ROWS} are shown" if len(rows) > ROWS else "")


def _table(answer: Answer) -> str:
    """The first rows of an answer as an HTML table; only its name where its results are closed."""
    rows = _rows(answer)
    if rows is None:
        return _preformatted(repr(answer))
    are = are_numbers(answer.columns, rows)
    heads = "".join(f"<th>{escape(printable(name))}</th>" for name in answer.columns)
    shown = [
        "".join(
            f'<td style="text-align: {"right" if is_number else "left"}">{escape(cell(value))}</td>'
            for value, is_number in zip(row, are, strict=True)
        )
        for row in rows[:ROWS]
    ]
    body = "".join(f"<tr>{cells}</tr>" for cells in shown)
    below = f"<p>{escape(_counted(rows, answer.results))}</p>"
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>{below}"


def _changes(shown: Timeline) -> list[Micros]:
    """The times of the changes of the target, which are numbered in its picture."""
    return [scale.at_us for scale in shown.scales]


def _results(results: Results) -> str:
    """All HPAs in a few sentences, then the verdict, picture and changes of each; of a fleet those that agree least."""
    whole = account(results)
    clock = clock_of(whole)
    drawn = {(one.namespace, one.name): one for one in whole.timelines}
    parts = [f"<p>{escape(fleet_headline(whole.hpas, clock))}</p>"] if len(whole.hpas) > 1 else []
    for hpa in whole.hpas[:DRAWN]:
        parts.append(f"<p><b>{escape(f'{hpa.namespace}/{hpa.name}')}</b> {escape(verdict(hpa, clock))}</p>")
        rows = change_rows(hpa.changes, clock)
        if one := drawn.get((hpa.namespace, hpa.name)):
            parts.append(_picture(one, [at_us for at_us, _ in rows]))
        lines = [table(("time", "from", "to", "by", "decided", "replay", "why"), [cells for _, cells in rows])]
        parts.append(_preformatted("\n".join([*(lines if rows else []), *count_lines(hpa)])))
    if len(whole.hpas) > DRAWN:
        parts.append(f"<p>{len(whole.hpas) - DRAWN} more HPAs: <code>results.agreement</code></p>")
    return "\n".join(parts)


def _picture_of(decision: ReconcileAccount) -> str:
    """The HPA over time with a pin at the decision; nothing if its results are gone."""
    try:
        shown = timeline(decision.file, f"{decision.namespace}/{decision.name}") if decision.file else None
    except AuditError:
        return ""
    return "" if shown is None else _picture(shown, [decision.at_us])


def _picture(shown: Timeline, marks: list[Micros]) -> str:
    """The chart as an image: its styles do not reach the rest of the notebook."""
    svg = standalone(picture(shown, marks, "title"))
    data = base64.b64encode(svg.encode()).decode()
    return f'<img alt="replicas, metric and pods over time" src="data:image/svg+xml;base64,{data}">'

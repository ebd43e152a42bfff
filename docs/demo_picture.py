"""Draws docs/demo.svg from the results of `hpaaudit demo`: `make picture`."""

import sys
import tempfile
import textwrap
from datetime import datetime, timedelta
from html import escape
from pathlib import Path
from typing import Any

import hpaaudit
from hpaaudit.flows.bundled import bundled_recording
from hpaaudit.flows.query import account
from hpaaudit.report.replay import clock_of
from hpaaudit.report.verdict import verdict

WIDTH, HEIGHT = 840, 420
LEFT, RIGHT = 64, 816
USAGE_TOP, USAGE_BOTTOM = 84, 184
REPLICAS_TOP, REPLICAS_BOTTOM = 224, 334
VERDICTS_TOP, VERDICTS_BOTTOM = 368, 384
PERCENT_MAX, REPLICAS_MAX = 200, 7
LINE = 100
"""So many characters of a sentence fit beside each other, also in DejaVu Sans, the widest of the fonts (7.5 px)."""

Rows = list[dict[str, Any]]

STYLE = """
  svg { --paper: #ffffff; --ink: #1f2328; --quiet: #59636e; --grid: #d1d9e0; --hpa: #0969da; --other: #cf222e;
        --usage: #8250df; --match: #4ac26b; font: 13px ui-sans-serif, system-ui, "Segoe UI", "DejaVu Sans", sans-serif }
  @media (prefers-color-scheme: dark) {
    svg { --paper: #0d1117; --ink: #f0f6fc; --quiet: #9198a1; --grid: #3d444d; --hpa: #4493f8; --other: #f85149;
          --usage: #ab7df8; --match: #2ea043 }
  }
  .paper { fill: var(--paper) } text { fill: var(--ink) } .quiet { fill: var(--quiet) } .title { font-weight: 600 }
  .end { text-anchor: end } .middle { text-anchor: middle }
  .grid { stroke: var(--grid); stroke-width: 1 } .target { stroke: var(--quiet); stroke-dasharray: 4 4 }
  .usage { fill: none; stroke: var(--usage); stroke-width: 2 }
  .actual { fill: none; stroke: var(--ink); stroke-width: 2.5 }
  .replay { fill: none; stroke: var(--hpa); stroke-width: 2; stroke-dasharray: 5 4 }
  .hpa { fill: var(--hpa) } .other { fill: var(--other) } .match { fill: var(--match) }
"""


class Drawing:
    """Elements of the picture, and the axis of time that its parts share."""

    def __init__(self, start: datetime, end: datetime) -> None:
        self.elements: list[str] = []
        self._start, self._seconds = start, (end - start).total_seconds()

    def x(self, at: datetime) -> float:
        """The place of a time."""
        return LEFT + (RIGHT - LEFT) * (at - self._start).total_seconds() / self._seconds

    def text(self, x: float, y: float, text: str, classes: str = "") -> None:
        """Writes a line of text."""
        self.elements.append(f'<text x="{x:.1f}" y="{y:.1f}" class="{classes}">{escape(text)}</text>')

    def line(self, x1: float, y1: float, x2: float, y2: float, classes: str) -> None:
        """Draws a straight line."""
        self.elements.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{classes}"/>')

    def path(self, points: list[tuple[float, float]], classes: str, *, steps: bool) -> None:
        """Draws a line through points; in steps, each value holds until the next point."""
        commands = [f"M{points[0][0]:.1f} {points[0][1]:.1f}"]
        for x, y in points[1:]:
            commands.append(f"H{x:.1f}V{y:.1f}" if steps else f"L{x:.1f} {y:.1f}")
        self.elements.append(f'<path d="{"".join(commands)}" class="{classes}"/>')

    def dot(self, x: float, y: float, classes: str) -> None:
        """Draws a filled circle."""
        self.elements.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" class="{classes}"/>')

    def bar(self, x: float, classes: str) -> None:
        """Draws the verdict of one reconcile."""
        height = VERDICTS_BOTTOM - VERDICTS_TOP
        self.elements.append(
            f'<rect x="{x - 4:.1f}" y="{VERDICTS_TOP}" width="8" height="{height}" class="{classes}"/>'
        )

    def svg(self, title: str) -> str:
        """The whole file."""
        body = "\n".join(self.elements)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">\n'
            f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n"
            f'<rect width="{WIDTH}" height="{HEIGHT}" class="paper"/>\n{body}\n</svg>\n'
        )


def picture(results: "hpaaudit.Results") -> str:
    """The SVG of a replay with one HPA."""
    page = account(results)
    [hpa] = page.hpas
    reconciles = results.rows("select ts, desired, verdict from reconciles order by ts")
    changes = results.rows("select ts, from_replicas, to_replicas, writer_class, writer_name from changes order by ts")
    usage = results.rows(
        "select ts, current_utilization as percent, target from metric_proposals "
        "where current_utilization is not null order by ts"
    )
    [span] = results.rows("select started_at, ended_at from recordings")
    drawing = Drawing(span["started_at"], span["ended_at"])
    drawing.text(LEFT - 40, 22, f"{hpa.namespace}/{hpa.name}", "title")
    for number, line in enumerate(textwrap.wrap(verdict(hpa, clock_of(page)), LINE)):
        drawing.text(LEFT - 40, 40 + 17 * number, line, "quiet")
    _draw_time(drawing, span["started_at"], span["ended_at"])
    _draw_usage(drawing, usage)
    _draw_replicas(drawing, reconciles, changes, span["ended_at"])
    _draw_verdicts(drawing, reconciles)
    return drawing.svg(f"{hpa.namespace}/{hpa.name}: {verdict(hpa, clock_of(page))}")


def _draw_time(drawing: Drawing, start: datetime, end: datetime) -> None:
    minute = start.replace(second=0, microsecond=0) + timedelta(minutes=1)
    while minute <= end:
        if minute.minute % 2 == 0:
            x = drawing.x(minute)
            drawing.line(x, USAGE_TOP, x, VERDICTS_BOTTOM, "grid")
            drawing.text(x, VERDICTS_BOTTOM + 20, f"{minute:%H:%M}", "quiet middle")
        minute += timedelta(minutes=1)


def _draw_usage(drawing: Drawing, usage: Rows) -> None:
    def y(percent: int) -> float:
        return USAGE_BOTTOM - (USAGE_BOTTOM - USAGE_TOP) * percent / PERCENT_MAX

    for percent in (0, 100, 200):
        drawing.text(LEFT - 10, y(percent) + 4, f"{percent} %", "quiet end")
        drawing.line(LEFT, y(percent), RIGHT, y(percent), "grid")
    target = usage[0]["target"]
    drawing.line(LEFT, y(target), RIGHT, y(target), "target")
    drawing.text(RIGHT, y(target) - 5, f"target {target} %", "quiet end")
    drawing.path([(drawing.x(row["ts"]), y(row["percent"])) for row in usage], "usage", steps=False)
    drawing.text(LEFT, USAGE_TOP - 8, "cpu, percent of requests")


def _draw_replicas(drawing: Drawing, reconciles: Rows, changes: Rows, end: datetime) -> None:
    def y(replicas: int) -> float:
        return REPLICAS_BOTTOM - (REPLICAS_BOTTOM - REPLICAS_TOP) * replicas / REPLICAS_MAX

    for replicas in range(0, REPLICAS_MAX, 2):
        drawing.text(LEFT - 10, y(replicas) + 4, str(replicas), "quiet end")
        drawing.line(LEFT, y(replicas), RIGHT, y(replicas), "grid")
    actual = [(float(LEFT), y(changes[0]["from_replicas"]))]
    actual += [(drawing.x(row["ts"]), y(row["to_replicas"])) for row in changes]
    drawing.path([*actual, (drawing.x(end), actual[-1][1])], "actual", steps=True)
    decided = [(drawing.x(row["ts"]), y(row["desired"])) for row in reconciles if row["desired"] is not None]
    drawing.path(decided, "replay", steps=True)
    for row in changes:
        x, top = drawing.x(row["ts"]), y(row["to_replicas"])
        drawing.dot(x, top, "hpa" if row["writer_class"] == "hpa" else "other")
        if row["writer_class"] != "hpa":
            label = f"{row['writer_name']} {row['from_replicas']} -> {row['to_replicas']}"
            drawing.text(x - 10, top + 5, label, "other end")
    drawing.text(LEFT, REPLICAS_TOP - 8, "replicas")
    legend = (("actual", "spec.replicas"), ("replay", "as the replay decides"))
    for x, (classes, label) in zip((RIGHT - 460, RIGHT - 332), legend, strict=True):
        drawing.line(x, REPLICAS_TOP - 12, x + 24, REPLICAS_TOP - 12, classes)
        drawing.text(x + 30, REPLICAS_TOP - 8, label, "quiet")
    drawing.dot(RIGHT - 136, REPLICAS_TOP - 12, "hpa")
    drawing.text(RIGHT - 126, REPLICAS_TOP - 8, "written by the HPA", "quiet")


def _draw_verdicts(drawing: Drawing, reconciles: Rows) -> None:
    for row in reconciles:
        drawing.bar(drawing.x(row["ts"]), "match" if row["verdict"] == "match" else "other")
    matched = sum(row["verdict"] == "match" for row in reconciles)
    others = ", ".join(
        f"{sum(row['verdict'] == verdict for row in reconciles)} {verdict}"
        for verdict in sorted({row["verdict"] for row in reconciles} - {"match"})
    )
    drawing.text(LEFT, VERDICTS_TOP - 8, f"{len(reconciles)} reconciles: {matched} match, {others}")


def main() -> None:
    """Writes the picture beside this script."""
    with tempfile.TemporaryDirectory() as folder:
        results = hpaaudit.replay(bundled_recording(), into=Path(folder) / "demo.duckdb")
        with results:
            Path(__file__).with_name("demo.svg").write_text(picture(results), "utf-8")
    sys.stderr.write("wrote docs/demo.svg\n")


if __name__ == "__main__":
    main()

"""The HTML report: its size, and how soon a browser shows it. Its charts have as many reconciles as are asked for.

python -m tests.bench.page
"""

import asyncio
import random
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from hpaaudit.model.account import ReplayAccount
from hpaaudit.model.hpa_columns import HpaColumns, MetricColumns
from hpaaudit.model.report import Report
from hpaaudit.model.timeline import Scale, Timeline, TimelinePoint
from hpaaudit.model.units import SECOND, Micros
from hpaaudit.report.page.data import data_of
from hpaaudit.report.page.html import page
from tests.bench.table import Row, rendered
from tests.report.accounts import NOON, hpa
from tests.report.browser import visit

RECONCILES, FLEET, OF_FLEET = 100_000, 300, 1_300
PAINT = """(async () => {
    while (!document.querySelector(".reconcile dl")) await new Promise(requestAnimationFrame);
    const drawn = performance.now();
    const painted = () => performance.getEntriesByName("first-contentful-paint")[0];
    while (!painted()) await new Promise(requestAnimationFrame);
    return [painted().startTime, drawn];
})()"""


def columns(name: str, reconciles: int, seed: int) -> HpaColumns:
    """An HPA whose load wanders around its target: cpu in percent, five points of noise, replicas that follow."""
    chance = random.Random(seed)  # noqa: S311 a made-up load
    load, pods = 600.0, 10
    usage: list[int | None] = []
    replicas: list[int] = []
    for _ in range(reconciles):
        load = max(load + chance.gauss(0, 4), 60)
        percent = round(load / pods + chance.gauss(0, 1.5))
        if abs(percent / 60 - 1) > 0.1:
            pods = max(round(pods * percent / 60), 1)
        usage.append(percent)
        replicas.append(pods)
    times = [Micros(NOON + 15 * SECOND * number) for number in range(reconciles)]
    same = {"unready": [0] * reconciles, "missing": [0] * reconciles, "ignored": [0] * reconciles}
    bounds = {"min": [1] * reconciles, "max": [100] * reconciles}
    scales = tuple(
        Scale(at_us=at_us, from_replicas=before, to_replicas=after)
        for at_us, before, after in zip(times[1:], replicas, replicas[1:], strict=False)
        if before != after
    )
    of_replicas = ("replicas", "replay", "decided", "actual", "raw", "stabilized", "ready")
    return HpaColumns(
        namespace="shop", name=name, started_us=NOON, ended_us=times[-1], times_us=times,
        reconcile_ids=range(reconciles), numbers=dict.fromkeys(of_replicas, replicas) | bounds | same,
        words={"verdict": ["match"] * reconciles, "reason": ["tolerance.hold"] * reconciles,
               "evidence": ["proven"] * reconciles, "state": ["decided"] * reconciles},
        metrics=(MetricColumns(name="cpu", target_type="Utilization", tolerance=(0.1, 0.1), values=usage,
                               targets=[60] * reconciles),),
        scales=scales, marks=(),
    )  # fmt: skip


def timeline(shown: HpaColumns) -> Timeline:
    """The same for the picture that stands on the page where no script runs."""
    usage = shown.metrics[0].values
    pods = shown.numbers["replicas"]
    points = tuple(
        TimelinePoint(
            at_us=at_us, began_us=at_us, replicas=now, replay=now, decided=now, min_replicas=1, max_replicas=100,
            verdict="match", reason_code="tolerance.hold", metric="cpu", ratio=(percent or 0) / 60, ready=now,
            unready=0, missing=0, ignored=0,
        )
        for at_us, now, percent in zip(shown.times_us, pods, usage, strict=True)
    )  # fmt: skip
    return Timeline(
        file="web.duckdb", namespace="shop", name=shown.name, target="Deployment/web", release="1.36",
        started_us=shown.started_us, ended_us=shown.ended_us, points=points, moment_us=shown.started_us, marks=(),
        scales=shown.scales,
    )  # fmt: skip


def written(hpas: int, reconciles: int) -> str:
    """The page of so many HPAs."""
    names = [f"web-{number}" for number in range(hpas)]
    shown = [columns(name, reconciles, seed) for seed, name in enumerate(names)]
    account = ReplayAccount(
        file="web.duckdb", recording="web", started_us=NOON, ended_us=Micros(NOON + 15 * SECOND * reconciles),
        release="1.36", assumptions=(), gaps=(), hpas=tuple(hpa(name=name, reconciles=reconciles) for name in names),
        timelines=tuple(timeline(one) for one in shown),
    )  # fmt: skip
    packed = {("shop", one.name): data_of(one, {}) for one in shown}
    return page(Report(account=account, explanations=(), packed=packed))


def rows() -> Iterator[Row]:
    """The size of each page, and if Chromium is here, when it paints first and when the charts are drawn."""
    for hpas, reconciles in ((1, RECONCILES), (FLEET, OF_FLEET)):
        text = written(hpas, reconciles)
        size = len(text.encode()) / 1000
        kind = f"{hpas} x {reconciles:,} reconciles"
        yield Row(f"page, kB ({kind})", f"{size:,.0f}", f"{hpas * reconciles * 8 * 4 / 1000:,.0f} as numbers", "")
        program = shutil.which("chromium")
        if program is not None:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "page.html"
                path.write_text(text, "utf-8")
                visited = asyncio.run(visit(program, path, Path(folder) / "profile", script=PAINT))
            paint, drawn = visited.answer
            yield Row(f"first paint, ms ({kind})", f"{paint:.0f}", f"{drawn:.0f} with charts", "")


def main() -> None:
    """Prints the table."""
    sys.stdout.write(rendered("the HTML report", rows()))


if __name__ == "__main__":
    main()

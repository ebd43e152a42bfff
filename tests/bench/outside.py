"""Writes a made-up fleet once more, as a recorder outside of the controller sees it: no lines, but every status.

python -m tests.bench.outside FLEET DIR
"""

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from hpaaudit.api.encode import status_json
from hpaaudit.engine.replay.plan import PlannedReconcile, plan
from hpaaudit.engine.replay.process import Process
from hpaaudit.flows.replay import replay
from hpaaudit.model.audit import ReconcileTime
from hpaaudit.model.facts import Fact, HpaSeen, Reconciled, ResourceMetricsRead, ScaleRead, ValuesRead
from hpaaudit.model.flags import Flags
from hpaaudit.model.units import Micros
from hpaaudit.recording.reading.recording import open_recording
from hpaaudit.recording.writing.writer import Writer
from tests.bench import fleet
from tests.bench.table import Row

HPAS, HOURS = 60, 1


def seen_from_outside(folder: Path) -> Iterator[Fact]:
    """What a recorder would have kept: after every reconcile the status that the controller publishes."""
    opened = open_recording(folder)
    process = Process(plan((), None, exact=True), Flags(), lambda _: Flags(), keep_pods=False)
    last: dict[str, HpaSeen] = {}
    version = 1
    for fact in opened.facts():
        if isinstance(fact, Reconciled):
            key = f"{fact.namespace}/{fact.name}"
            at = ReconcileTime(began_us=fact.began_us, at_us=fact.at_us, source="reconcile", uncertainty_us=Micros(0))
            replayed = process.reconcile(PlannedReconcile(key=key, index=0, instant=at), 0)
            if replayed.decision.status is not None and replayed.decision.writes_status:
                version += 1
                shown = replace(
                    last[key],
                    at_us=fact.at_us,
                    resource_version=str(version),
                    status_json=status_json(replayed.decision.status),
                )
                last[key] = shown
                process.apply(shown)
                yield shown
            continue
        process.apply(fact)
        if isinstance(fact, HpaSeen):
            last[f"{fact.namespace}/{fact.name}"] = fact
        if isinstance(fact, ScaleRead | ResourceMetricsRead | ValuesRead) and fact.by:
            yield replace(fact, by="")
        else:
            yield fact


def write(recording: Path, folder: Path, *, rows: int | None = None) -> None:
    """Writes the recording of a fleet once more; `rows` facts make a segment."""
    opened = open_recording(recording)
    with Writer(folder, source="fleet", cluster=opened.info.cluster, started_us=opened.info.started_us) as writer:
        for number, fact in enumerate(seen_from_outside(recording), 1):
            writer.add(fact)
            if rows is not None and number % rows == 0:
                writer.seal()


def rows(folder: Path, seed: int) -> Iterator[Row]:
    """Yields how long a replay takes that must find out what each reconcile saw: compiled, and one by one."""
    folder.mkdir()
    fleet.write(folder / "lines", hpas=HPAS, hours=HOURS, seed=seed)
    write(folder / "lines", folder / "outside")
    took = {}
    for detail in ("numbers", "moved"):
        begun = time.perf_counter()
        with replay(folder / "outside", into=folder / f"{detail}.duckdb", detail=detail) as results:
            count = results.rows("select count(*) as n from reconciles")[0]["n"]
        took[detail] = time.perf_counter() - begun
    yield Row(
        f"s, replay told by statuses alone ({count:,})",
        f"{took['numbers']:.1f}",
        f"{took['moved']:.0f} one by one",
        f"{took['moved'] / took['numbers']:.0f}x as fast",
    )


def main() -> None:
    """As the first line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("fleet", type=Path)
    parser.add_argument("folder", type=Path)
    asked = parser.parse_args()
    write(asked.fleet, asked.folder)
    sys.stdout.write(f"{asked.folder}\n")


if __name__ == "__main__":
    main()

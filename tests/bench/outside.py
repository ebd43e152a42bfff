"""Writes a made-up fleet once more, as a recorder outside of the controller sees it: no lines, but every status.

python -m tests.bench.outside FLEET DIR
"""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from hpaaudit.api.encode import status_json
from hpaaudit.engine.plan import Planned, plan
from hpaaudit.engine.replay import Process
from hpaaudit.model.audit import Instant
from hpaaudit.model.facts import Fact, HpaSeen, Reconciled, ResourceMetricsRead, ScaleRead, ValuesRead
from hpaaudit.model.flags import Flags
from hpaaudit.model.units import Micros
from hpaaudit.recording.read import open_recording
from hpaaudit.recording.write import Writer


def seen_from_outside(folder: Path) -> Iterator[Fact]:
    """What a recorder would have kept: after every reconcile the status that the controller publishes."""
    opened = open_recording(folder)
    process = Process(plan((), None, exact=True), Flags(), lambda _: Flags(), keep_pods=False)
    last: dict[str, HpaSeen] = {}
    version = 1
    for fact in opened.facts():
        if isinstance(fact, Reconciled):
            key = f"{fact.namespace}/{fact.name}"
            at = Instant(began_us=fact.began_us, at_us=fact.at_us, source="reconcile", uncertainty_us=Micros(0))
            done = process.reconcile(Planned(key=key, index=0, instant=at), 0)
            if done.decision.status is not None and done.decision.writes_status:
                version += 1
                shown = replace(
                    last[key],
                    at_us=fact.at_us,
                    resource_version=str(version),
                    status_json=status_json(done.decision.status),
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


def write(fleet: Path, folder: Path, *, rows: int | None = None) -> None:
    """Write the fleet's recording once more; `rows` facts make a segment."""
    opened = open_recording(fleet)
    with Writer(folder, source="fleet", cluster=opened.info.cluster, started_us=opened.info.started_us) as writer:
        for number, fact in enumerate(seen_from_outside(fleet), 1):
            writer.add(fact)
            if rows is not None and number % rows == 0:
                writer.seal()


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

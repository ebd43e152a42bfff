"""Where a replay of a fleet spends its time: deciding by stage, writing by statement, and whole commands.

python -m tests.bench --profile [--hpas 300] [--hours 24]
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

from hpaaudit.engine.behaviours.release import behaviours_of
from hpaaudit.engine.fleet.batch.allocate import settings_of
from hpaaudit.engine.fleet.batch.builder import BatchBuilder, FleetOptions, quantities_of
from hpaaudit.engine.fleet.compile import walk
from hpaaudit.engine.fleet.input.namespaces import shares
from hpaaudit.engine.fleet.input.tables import COLUMNS
from hpaaudit.engine.fleet.results import ReconcileFilter, results_of
from hpaaudit.engine.fleet.run import Kernel, Part, one_by_one, prepared_slices, run_kernel
from hpaaudit.flows import fleet
from hpaaudit.flows.prepare import prepare_compiled
from hpaaudit.flows.replay import replay
from hpaaudit.recording.reading import slices
from hpaaudit.recording.reading.recording import open_recording
from hpaaudit.results import sql, write
from hpaaudit.results.findings import findings
from tests.bench.seconds import Seconds, whole_process
from tests.bench.stages import Stages
from tests.bench.table import Row

MEGA = 1e6
FOLDERS = ("staging", "audit")
BATCHES, KERNEL = "decode and build batches", "kernel"
WHOLE, WHOLE_AUDIT = "all of it", "audit and finish, all statements"
"""Stages that hold others, as BATCHES holds the decoding."""
SHOWN = 0.005
"""A stage with a smaller share of the CPU has no row of its own."""
COMMANDS = (("--help",), ("explain",), ("query", "what_happened"))
"""Commands that should answer at once; all but the first get the results."""


def deciding(recording: Path) -> Stages:
    """The stages from the files to every decision, one after the other and on one core."""
    stages = Stages()
    with stages.timed(WHOLE):
        _decide(recording, stages)
    return stages


def _decide(recording: Path, stages: Stages) -> None:
    with stages.timed("open, checksums, plan"):
        prepared = prepare_compiled(open_recording(recording))
    flags = prepared.flags
    options = FleetOptions(
        flags=flags,
        behaviours=behaviours_of(flags),
        quantities=quantities_of(prepared.plan.metrics),
        skipped=prepared.plan.unsupported,
        inferred=prepared.derived,
        passing_leases=prepared.plan.passing_leases,
    )
    with stages.timed("load the compiled rules"):
        kernel = Kernel(walk=walk(str(fleet.cache_folder())), spread=one_by_one)
    parts = [
        Part(namespaces=some, builder=BatchBuilder(replace(options, namespaces=some), fleet.texts()))
        for some in shares(fleet.parts_of(prepared))
    ]
    settings = settings_of(flags, options.behaviours)
    with patch.object(slices, "AHEAD", 0):  # else a thread reads the next slice during the other stages
        read = stages.each(prepared.recording.slices(COLUMNS, columns=COLUMNS), "decode Parquet")
        batches = prepared_slices(read, len(prepared.recording.segments), parts)
        for part, batch in stages.each(batches, BATCHES):
            with stages.timed(KERNEL):
                decided = run_kernel(batch, settings, part.store, kernel)
            with stages.timed("columns out"):
                results_of(batch, decided.decisions, decided.proposals, part.builder, ReconcileFilter())


def writing(recording: Path, results: Path) -> Stages:
    """The stages of a whole replay: deciding with all threads, inserting, and each statement of the audit."""
    stages = Stages()
    names = {text: f"{folder}/{name}" for folder in FOLDERS for name, text in sql.folder(folder).items()}
    names |= {finding.insert: f"findings/{finding.pattern}" for finding in findings()}

    def replaced(owner: object, name: str, stage: str) -> None:
        patches.enter_context(patch.object(owner, name, stages.timing(getattr(owner, name), lambda *_, **__: stage)))

    with ExitStack() as patches:
        run = stages.timing(write.run, lambda _connection, text, _parameters=None: names[text])
        patches.enter_context(patch.object(write, "run", run))
        replaced(write, "copy_facts", "copy recorded facts")
        replaced(write, "copy_statuses", "copy statuses")
        replaced(write.ResultsWriter, "add_facts", "insert facts")
        replaced(write.ResultsWriter, "add_columns", "insert decisions")
        replaced(write.ResultsWriter, "_show_recorded", "views on the recording")
        replaced(write.ResultsWriter, "finish", WHOLE_AUDIT)
        decide = fleet.decide
        patches.enter_context(
            patch.object(fleet, "decide", lambda *given: stages.each(decide(*given), "wait for decisions"))
        )
        with stages.timed(WHOLE):
            replay(recording, into=results, overwrite=True).close()
    return stages


def rows(stages: Stages) -> Iterator[Row]:
    """A row for each stage, the dearest first."""
    cpu = stages.by_name[WHOLE].seconds.cpu
    small = Seconds(0.0, 0.0)
    for name, stage in sorted(stages.by_name.items(), key=lambda item: -item[1].seconds.cpu):
        if stage.seconds.cpu < SHOWN * cpu:
            small = Seconds(small.wall + stage.seconds.wall, small.cpu + stage.seconds.cpu)
            continue
        held = f"{stage.process_bytes / MEGA:,.0f} MB held, {stage.arrow_bytes / MEGA:,.0f} by Arrow"
        yield Row(name, str(stage.seconds), held, f"{stage.seconds.cpu / cpu:.1%} of the CPU")
    yield Row(f"stages below {SHOWN:.1%} each", str(small), "", f"{small.cpu / cpu:.1%} of the CPU")


def commands(results: Path) -> Iterator[Row]:
    """A row for each command as a whole process, and what of it are imports."""
    for words in COMMANDS:
        command, *asked = words
        given = [command, *([] if command.startswith("-") else [str(results)]), *asked]
        seconds, _ = whole_process(*given)
        imported = subprocess.run(
            [sys.executable, "-X", "importtime", "-m", "hpaaudit", *given], capture_output=True, text=True, check=True
        )
        own = [int(micros) for micros in re.findall(r"^import time:\s+(\d+) \|", imported.stderr, re.MULTILINE)]
        yield Row(
            f"s, hpaaudit {' '.join([command, *asked])}",
            f"{seconds}",
            f"{sum(own) / MEGA:.2f} to import {len(own)} modules",
            f"{sum(own) / MEGA / seconds.wall:.0%} of the time",
        )

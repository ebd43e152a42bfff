"""Replays a capture's lines with the controller of a release."""

from pathlib import Path

from hpaaudit.api.flags import with_flags
from hpaaudit.engine.replay.plan import plan
from hpaaudit.engine.replay.process import Process, replay
from hpaaudit.model.decision import Decision
from tests.engine.scenes import flags
from tests.importers.lines import Line, read


def replayed(folder: Path, release: str, *lines: Line) -> list[Decision]:
    """Decides every reconcile of a capture, with the flags that its first line names if it is one of the controller."""
    facts = read(folder, *lines)
    laid_out, controller = plan(facts, None), with_flags(flags(release=release), lines[0].get("flags", {}))
    process = Process(laid_out, controller, lambda _: controller, keep_pods=False)
    return [reconcile.decision for reconcile in replay(facts, laid_out, process, ())]

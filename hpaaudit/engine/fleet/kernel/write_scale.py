"""Writes the scale over columns, if it must change; as `controller.write_scale`."""

from hpaaudit.engine.fleet.columns.batch import NONE
from hpaaudit.engine.fleet.columns.column_codes import RESCALED, UPDATE_FAILED
from hpaaudit.engine.fleet.columns.kernel_state import Run
from hpaaudit.engine.fleet.kernel.memory import remember_scale
from hpaaudit.engine.fleet.kernel.metrics import Context
from hpaaudit.engine.rules.reason_codes import WRITE_FAILED


def write_scale(run: Run, context: Context, at: int, slots: int, desired: int) -> None:
    """Keeps what the reconcile `at` wanted, and whether that was written."""
    decisions = run.decisions
    decisions.desired[at] = desired
    if desired == context.current:
        decisions.status_desired[at] = desired
        return
    if run.batch.reconciles.written[at] == 0:
        decisions.able[at], decisions.reason[at] = UPDATE_FAILED, WRITE_FAILED
        return
    decisions.able[at], decisions.status_desired[at] = RESCALED, desired
    if not run.settings.behaviours.forbidden_windows:
        remember_scale(run, slots, context.spec, context.current, desired, written_us(run, context, at))


def written_us(run: Run, context: Context, at: int) -> int:
    """When the scale was written."""
    reconciles = run.batch.reconciles
    return int(context.now_us if reconciles.written[at] == NONE else reconciles.written_us[at])

"""One reconcile in the control flow of its release. The flow of today, since 1.12, is `controller/reconcile.py`."""

from hpaaudit.engine.behaviours.release import behaviours_of
from hpaaudit.engine.controller import reconcile as today
from hpaaudit.engine.eras import metrics_list
from hpaaudit.model.decision import Decision
from hpaaudit.model.flags import Flags
from hpaaudit.model.memory import Memory
from hpaaudit.model.observation import Observation


def reconcile(
    observation: Observation, memory: Memory, flags: Flags, *, keep_pods: bool = False
) -> tuple[Decision, Memory]:
    """One reconcile of one HPA: what the controller decides and writes, and what it remembers after it.

    keep_pods   the decision keeps how each metric counted each pod
    """
    if behaviours_of(flags).forbidden_windows:
        return metrics_list.reconcile(observation, memory, flags, keep_pods=keep_pods)
    return today.reconcile(observation, memory, flags, keep_pods=keep_pods)

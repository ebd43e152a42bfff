"""One reconcile in the control flow of its release. The flow of today, since 1.12, is `controller/reconcile.py`."""

from hpaaudit.engine.behaviours.release import behaviours_of
from hpaaudit.engine.controller import reconcile as today
from hpaaudit.engine.eras import metrics_annotation, metrics_list, polling
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
    behaviours = behaviours_of(flags)
    if behaviours.polls:
        return polling.reconcile(observation, memory, flags, keep_pods=keep_pods)
    if behaviours.metrics_annotation:
        return metrics_annotation.reconcile(observation, memory, flags, keep_pods=keep_pods)
    if behaviours.forbidden_windows:
        return metrics_list.reconcile(observation, memory, flags, keep_pods=keep_pods)
    return today.reconcile(observation, memory, flags, keep_pods=keep_pods)

"""The incidents that hit every HPA: what becomes of kube-controller-manager and of its Lease."""

import datetime as dt
import os
import signal
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tests.cluster.cluster import LEASE, stop
from tests.cluster.week.stage import Stage, Workload
from tests.cluster.world import rfc3339

LEASE_FLAGS = {"leader-elect-lease-duration": "30s", "leader-elect-renew-deadline": "25s"}
"""Short enough to wait for, and long enough for a machine that others use too."""
LEASE_SECONDS = 30
MANAGER = "kube-controller-manager"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outage:
    """An incident of the controller, which shows on the workloads whose load moves meanwhile.

    shape      of those workloads;  workloads  how many;  none: what is said is about the controller alone
    """

    word: str
    play: Callable[[Stage, Sequence[Workload]], None]
    also: frozenset[str] = frozenset()
    shape: str = "plain"
    workloads: int = 3


def restarted(stage: Stage, _: Sequence[Workload]) -> None:
    """Another process takes over at once."""
    stage.cluster.restart_controller_manager()
    time.sleep(8)


def hung(stage: Stage, workloads: Sequence[Workload]) -> None:
    """The process stands still, and something renews its Lease."""
    process, over = stage.cluster.processes[MANAGER].pid, threading.Event()

    def renew() -> None:
        while not over.is_set():
            stage.kube.patch(LEASE, {"spec": {"renewTime": rfc3339(time.time(), 6)}})
            over.wait(2)

    renewing = threading.Thread(target=renew, daemon=True)
    os.kill(process, signal.SIGSTOP)
    try:
        renewing.start()
        _load_moves(stage, workloads, 14)
    finally:
        over.set()
        renewing.join()
        os.kill(process, signal.SIGCONT)
    time.sleep(8)


def down(stage: Stage, workloads: Sequence[Workload]) -> None:
    """The process ends, and its Lease runs out before another one starts."""
    stop(stage.cluster.processes.pop(MANAGER), seconds=0)
    _load_moves(stage, workloads, LEASE_SECONDS + 10)
    stage.cluster.start_controller_manager()
    held = stage.kube.get(LEASE)["spec"]["holderIdentity"]
    stage.wait("another holder of the Lease", lambda: _holder(stage) != held or _is_fresh(stage), 60)
    time.sleep(8)


def lease_taken(stage: Stage, workloads: Sequence[Workload]) -> None:
    """Another program takes the Lease for some seconds, while the controller goes on and remembers."""
    for workload in workloads:
        stage.load(workload, 0.5)
    time.sleep(8)
    held = _holder(stage)
    stage.kube.patch(LEASE, {"spec": {"holderIdentity": "another-program", "renewTime": rfc3339(time.time(), 6)}})
    time.sleep(5)
    stage.kube.patch(LEASE, {"spec": {"holderIdentity": held, "renewTime": rfc3339(time.time(), 6)}})
    # Earlier recommendations hold the pods for 25 s; a process that had forgotten them would begin to count only now.
    for workload in workloads:
        stage.wait_replicas(workload, 2)
    time.sleep(15)
    for workload in workloads:
        stage.load(workload)
        stage.wait_replicas(workload, 4)


def _holder(stage: Stage) -> str:
    return str(stage.kube.get(LEASE)["spec"]["holderIdentity"])


def _is_fresh(stage: Stage) -> bool:
    spec: dict[str, Any] = stage.kube.get(LEASE)["spec"]
    renewed = dt.datetime.fromisoformat(spec["renewTime"])
    return (dt.datetime.now(dt.UTC) - renewed).total_seconds() < 5


def _load_moves(stage: Stage, workloads: Sequence[Workload], seconds: float) -> None:
    """Statuses would change, and no number of replicas afterwards."""
    time.sleep(2)
    for workload in workloads:
        stage.load(workload, 1.5)
    time.sleep(seconds)
    for workload in workloads:
        stage.load(workload)
    time.sleep(5)


OUTAGES = {
    "the controller starts anew": Outage(
        word="restart", play=restarted, workloads=0,
        also=frozenset({"not_run.controller_restart", "controller_restart_memory"}),
    ),
    "the controller hangs": Outage(
        word="not_run.controller_hung", play=hung, also=frozenset({"slow_or_missed_sync"})
    ),
    "the controller is down": Outage(
        word="not_run.controller_down", play=down,
        also=frozenset({"restart", "not_run.controller_restart", "controller_restart_memory"}),
    ),
    "another program takes the Lease": Outage(
        word="other_holders", play=lease_taken, shape="patient", workloads=1
    ),
}  # fmt: skip

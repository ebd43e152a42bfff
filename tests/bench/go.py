"""How fast the real controller reconciles: upstream's Go code in virtual time, on one core."""

import os
import tempfile
from pathlib import Path
from unittest.mock import patch

from tests.oracle.controller import program, run
from tests.oracle.draw import Json

RELEASE = "1.36"
WORLDS, MINUTES, PODS = 4, 60, 15


def is_built() -> bool:
    """Tells whether `make oracle` has built the controller."""
    return program(RELEASE).exists()


def reconciles_a_second() -> float:
    """Returns how many reconciles of an HPA with 15 pods, cpu and memory it makes in a second of one core.

    Its API server is part of the same process: every request is JSON, but crosses no socket. Nothing is written.
    """
    with tempfile.TemporaryDirectory() as folder, patch.dict(os.environ, ORACLE_DRY="1"):
        completed = run(RELEASE, [_world(number) for number in range(WORLDS)], Path(folder))
    return completed.reconciles / completed.seconds


def _world(number: int) -> Json:
    """Returns a world in which load rises and falls, as `tests/oracle/README.md` says it."""
    until = MINUTES * 60
    target = {"type": "Utilization", "averageUtilization": 60}
    metrics = [{"type": "Resource", "resource": {"name": name, "target": target}} for name in ("cpu", "memory")]
    swing = [[at, round(PODS * 300 * (1 + 0.3 * (at // 300 % 3 - 1)))] for at in range(0, until, 300)]
    level = [[0, 300 * 2**20 * 1000]]
    return {
        "name": f"bench-{number}",
        "release": RELEASE,
        "profile": "bench",
        "seed": number,
        "until_s": until,
        "controller": {"sync_period": "15s"},
        "targets": [
            {
                "name": "web",
                "kind": "Deployment",
                "api_version": "apps/v1",
                "replicas": PODS,
                "containers": [{"name": "app", "requests": {"cpu": "500m", "memory": "512Mi"}}],
                "max_pods": 2 * PODS,
                "age_s": 3600,
                "delays": {"create_s": 1, "schedule_s": 1, "start_s": 2, "ready_s": 10, "terminate_s": 5},
                "scrape": {"interval_s": 15, "lag_s": 5, "first_s": 15, "window_s": 15},
                "usage": [
                    {
                        "container": "app",
                        "resource": "cpu",
                        "mode": "share",
                        "signal": {"points": swing, "linear": True},
                        "unit": "nano",
                    },
                    {
                        "container": "app",
                        "resource": "memory",
                        "mode": "each",
                        "signal": {"points": level},
                        "unit": "binary",
                    },
                ],
            }
        ],
        "hpas": [
            {
                "name": "web",
                "object": {
                    "apiVersion": "autoscaling/v2",
                    "kind": "HorizontalPodAutoscaler",
                    "metadata": {"name": "web", "namespace": "shop"},
                    "spec": {
                        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
                        "minReplicas": 2,
                        "maxReplicas": 2 * PODS,
                        "metrics": metrics,
                    },
                },
            }
        ],
    }

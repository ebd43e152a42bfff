"""Makes the recordings of old releases again: the real controller of each decides, in virtual time.

    python -m tests.recordings.old_releases 1.1-forbidden-window --into recordings

Needs what `make oracle` needs. What the controller decided is kept in `tests/recordings/decided/`, so that
a replay of the recording can be held against it.
"""

import argparse
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from hpaaudit.flows.importing import import_capture
from tests.oracle.controller import prepare, run
from tests.oracle.draw import Json
from tests.oracle.eras import CUSTOM_METRICS

DECISIONS = Path(__file__).parent / "decided"
"""What the real controllers decided, a file for each recording."""

NAME = "checkout"


def story(release: str, until_s: int, pods: Json, hpa: Json, **more: Json | list[Json]) -> Json:
    """A scenario with one workload and its HPA.

    pods   what differs from a small Deployment whose pods ask for 200m of cpu and become ready after 8 seconds
    hpa    the HPA without its name and target
    """
    era = int(release.split(".")[1])
    version = "extensions/v1beta1" if era <= 8 else "apps/v1"  # noqa: PLR2004, RUF100 the scale client of 1.9
    reference = {"apiVersion": version, "kind": "Deployment", "name": NAME}
    key = "scaleRef" if hpa["apiVersion"] == "extensions/v1beta1" else "scaleTargetRef"
    spec = {key: {**reference, **({"subresource": "scale"} if key == "scaleRef" else {})}, **hpa["spec"]}
    return {
        "name": NAME,
        "release": release,
        "profile": "recordings",
        "seed": 1,
        "until_s": until_s,
        "controller": {"sync_period": "30s" if era <= 11 else "15s", **more.pop("controller", {})},  # type: ignore[dict-item]
        "targets": [
            {
                "name": NAME,
                "kind": "Deployment",
                "api_version": version,
                "containers": [{"name": "app", "requests": {"cpu": "200m"}}],
                "age_s": 3600,
                "delays": {"create_s": 0, "schedule_s": 1, "start_s": 2, "ready_s": 5, "terminate_s": 4},
                "scrape": {"interval_s": 30 if era <= 11 else 15, "lag_s": 2, "window_s": 30},
                **pods,
            }
        ],
        "hpas": [{"name": NAME, "object": {**hpa, "spec": spec}}],
        **more,
    }


def cpu(*points: list[int], mode: str = "share") -> list[Json]:
    """The cpu usage in thousandths at some seconds, held until the next: shared by the ready pods, or of each pod."""
    return [{"container": "app", "resource": "cpu", "mode": mode, "signal": {"points": [*points]}}]


def qps(*points: list[int], mode: str = "share") -> list[Json]:
    """A custom metric of the pods, as `cpu`."""
    scrape = {"interval_s": 30, "lag_s": 2}
    return [
        {"type": "pods", "name": "qps", "target": NAME, "mode": mode, "signal": {"points": [*points]}, "scrape": scrape}
    ]


def forbidden_window() -> Json:
    """The load doubles twice within a minute, and falls again."""
    spec = {"minReplicas": 2, "maxReplicas": 10, "cpuUtilization": {"targetPercentage": 60}}
    usage = cpu([0, 240], [100, 480], [160, 960], [460, 240])
    return story("1.1", 840, {"replicas": 2, "usage": usage}, {"apiVersion": "extensions/v1beta1", "spec": spec})


def sample_missing() -> Json:
    """The requests per second rise; of one pod nobody measures them for two minutes."""
    annotation = '{"items":[{"name":"qps","value":"10"}]}'
    spec = {"minReplicas": 2, "maxReplicas": 12, "targetCPUUtilizationPercentage": 60}
    hpa = {"apiVersion": "autoscaling/v1", "metadata": {"annotations": {CUSTOM_METRICS: annotation}}, "spec": spec}
    fault = {"api": "pods", "from_s": 95, "to_s": 215, "kind": "drop", "ordinals": [1]}
    return story(
        "1.4", 540, {"replicas": 3, "usage": cpu([0, 300], [100, 720])}, hpa,
        metrics=qps([0, 27000], [100, 75000]), faults=[fault],
    )  # fmt: skip


def first_error() -> Json:
    """Custom metrics answer 500 for four minutes, while cpu asks for twice the replicas."""
    metrics = [  # a utilization would be asked last: autoscaling/v1 holds it in a field of its own
        {"type": "Resource", "resource": {"name": "cpu", "targetAverageValue": "120m"}},
        {"type": "Pods", "pods": {"metricName": "qps", "targetAverageValue": "10"}},
    ]
    spec = {"minReplicas": 2, "maxReplicas": 12, "metrics": metrics}
    fault = {"api": "pods", "from_s": 95, "to_s": 335, "kind": "error", "status": 500, "reason": "InternalError",
             "message": "the adapter has no connection to its database"}  # fmt: skip
    return story(
        "1.7", 480, {"replicas": 3, "usage": cpu([0, 340], [100, 720])},
        {"apiVersion": "autoscaling/v2alpha1", "spec": spec}, metrics=qps([0, 28000]), faults=[fault],
    )  # fmt: skip


def unready_pods_multiplied() -> Json:
    """A queue grows to twice its target; new pods need six minutes to become ready."""
    metrics = [
        {"type": "External", "external": {"metricName": "queue_length", "targetValue": "100"}},
        {"type": "Resource", "resource": {"name": "cpu", "targetAverageUtilization": 80}},
    ]
    spec = {"minReplicas": 2, "maxReplicas": 20, "metrics": metrics}
    queue = {
        "type": "external", "name": "queue_length", "scrape": {"interval_s": 30, "lag_s": 2},
        "series": [{"labels": {"queue": "orders"}, "signal": {"points": [[0, 100000], [100, 200000], [700, 100000]]}}],
    }  # fmt: skip
    pods = {
        "replicas": 2, "usage": cpu([0, 200]),
        "delays": {"create_s": 0, "schedule_s": 1, "start_s": 2, "ready_s": 360, "terminate_s": 4},
    }  # fmt: skip
    return story("1.10", 840, pods, {"apiVersion": "autoscaling/v2beta1", "spec": spec}, metrics=[queue])


def pending_pods() -> Json:
    """A node is full: three of nine pods stay Pending, and the others have little to do."""
    target = {"type": "Utilization", "averageUtilization": 60}
    metrics = [{"type": "Resource", "resource": {"name": "cpu", "target": target}}]
    spec = {"minReplicas": 2, "maxReplicas": 12, "metrics": metrics}
    pods = {
        "replicas": 9, "usage": cpu([0, 700], [200, 380]),
        "fates": {str(ordinal): {"never_schedule": True} for ordinal in (6, 7, 8)},
    }  # fmt: skip
    return story("1.15", 720, pods, {"apiVersion": "autoscaling/v2beta2", "spec": spec})


def two_windows() -> Json:
    """A load that jumps: the window that should delay a scale-up takes pods away."""
    target = {"type": "Utilization", "averageUtilization": 60}
    metrics = [{"type": "Resource", "resource": {"name": "cpu", "target": target}}]
    policies = [{"type": "Percent", "value": 100, "periodSeconds": 15}]
    behavior = {
        "scaleUp": {"stabilizationWindowSeconds": 120, "policies": policies},
        "scaleDown": {"stabilizationWindowSeconds": 300, "policies": policies},
    }
    spec = {"minReplicas": 2, "maxReplicas": 12, "metrics": metrics, "behavior": behavior}
    usage = cpu([0, 700], [180, 300], [240, 860], [420, 700])
    return story("1.20", 600, {"replicas": 6, "usage": usage}, {"apiVersion": "autoscaling/v2beta2", "spec": spec})


STORIES: dict[str, Callable[[], Json]] = {
    "1.1-forbidden-window": forbidden_window,
    "1.4-sample-missing": sample_missing,
    "1.7-first-error": first_error,
    "1.10-unready-pods-multiplied": unready_pods_multiplied,
    "1.15-pending-pods": pending_pods,
    "1.20-two-windows": two_windows,
}
"""The world of each recording, by its name."""


def make(name: str, into: Path) -> tuple[Path, Path]:
    """A recording, without its README and its story, and what the controller of its release decided."""
    scenario = STORIES[name]()
    prepare(scenario["release"])
    with tempfile.TemporaryDirectory() as folder:
        completed = run(scenario["release"], [scenario], Path(folder), plain=False)
        if completed.refused:
            raise ValueError(f"{name}: the API server of {scenario['release']} refuses its HPA")
        import_capture([Path(folder) / f"{NAME}.capture.jsonl.gz"], into=into / name)
        decided = into / f"{name}.expected.jsonl.gz"
        shutil.move(Path(folder) / f"{NAME}.expected.jsonl.gz", decided)
    return into / name, decided


def main() -> None:
    """Makes the recordings that are named. Their README.md and expected.txt stay as they are."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: all")
    parser.add_argument("--into", type=Path, required=True)
    options = parser.parse_args()
    for name in options.names or STORIES:
        with tempfile.TemporaryDirectory() as folder:
            recording, decided = make(name, Path(folder))
            shutil.copytree(recording, options.into / name, dirs_exist_ok=True)
            shutil.copy(decided, DECISIONS / decided.name)
        sys.stdout.write(f"{options.into / name}\n")


if __name__ == "__main__":
    main()

"""Reads the flags of kube-controller-manager from its pod, if it runs as one that we may read."""

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from hpaaudit.cluster.client.client import Client
from hpaaudit.cluster.decoding.decoders import PROCESSES
from hpaaudit.model.facts import ControllerSeen

PODS = "/api/v1/namespaces/kube-system/pods?labelSelector=component%3Dkube-controller-manager"
FLAG_PART = "horizontal-pod-autoscaler"
NAME = "kube-controller-manager"


async def controller_seen(client: Client, holder: str) -> ControllerSeen | None:
    """Release, flags and feature gates from the pod's command line. None if there is no such pod that we may read.

    `holder` of the Lease is `HOST_UUID`: of several replicas the pod on that host counts, else the first one. Flags
    of other controllers are not kept.
    """
    answer = await client.get(PODS, decode=PROCESSES)
    pods = answer.body.get("items") or () if answer.good else ()
    host = holder.rpartition("_")[0]
    specs = [pod.get("spec") or {} for pod in pods]
    leading = sorted(specs, key=lambda spec: spec.get("nodeName") != host)
    containers = [container for spec in leading[:1] for container in spec.get("containers") or ()]
    containers.sort(key=lambda container: container.get("name") != NAME)
    if not containers:
        return None
    flags = _flags([*(containers[0].get("command") or ()), *(containers[0].get("args") or ())])
    version = _version(containers[0].get("image") or "")
    return ControllerSeen(
        at_us=answer.at_us,
        state="declared",
        release=".".join(version.removeprefix("v").split(".")[:2]),
        version=version,
        flags=tuple(sorted((name, value) for name, value in flags.items() if FLAG_PART in name)),
        gates=tuple(sorted(_gates(flags.get("feature-gates", "")))),
    )


def _flags(words: list[str]) -> dict[str, str]:
    """`--name=value`, `--name value` and `--name` alone, as in Go's flags."""
    flags: dict[str, str] = {}
    for word, following in pairwise([*words, "--"]):
        name, equals, value = word.removeprefix("--").partition("=")
        if word.startswith("--"):
            flags[name] = value if equals else "true" if following.startswith("--") else following
    return flags


def _gates(text: str) -> Iterable[tuple[str, bool]]:
    pairs: list[Any] = [part.partition("=") for part in text.split(",") if part]
    return ((name.strip(), value.strip().lower() == "true") for name, _, value in pairs)


def _version(image: str) -> str:
    """`v1.36.3` from `registry.k8s.io/kube-controller-manager:v1.36.3@sha256:…`; empty if the tag is no version."""
    tag = image.partition("@")[0].rpartition("/")[2].partition(":")[2]
    return tag if tag.startswith("v1.") else ""

"""Decodes `extensions/v1beta1`, the first API of the HPA (Kubernetes 1.1, and what the controller of 1.2 read)."""

import json
from dataclasses import replace
from functools import lru_cache

from hpaaudit.api import v1, v2
from hpaaudit.api.canonical import canonical_json
from hpaaudit.model.hpa import HpaSpec, HpaStatus


@lru_cache(maxsize=4096)
def decode_spec(spec_json: str) -> HpaSpec:
    """`spec`: its target is `scaleRef`, its only metric a cpu utilization, 80 % where none is given."""
    raw = json.loads(spec_json)
    percent = (raw.get("cpuUtilization") or {}).get("targetPercentage")
    shape = canonical_json({**raw, "scaleTargetRef": raw.get("scaleRef")})
    return replace(
        v2.decode_spec(shape),
        metrics=(v2.cpu_utilization(v2.DEFAULT_CPU_UTILIZATION if percent is None else percent),),
        behavior=None,
    )


def decode_status(status_json: str, annotations_json: str) -> HpaStatus:
    """`status`, which is that of `autoscaling/v1`."""
    return v1.decode_status(status_json, annotations_json)

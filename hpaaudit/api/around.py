"""What stands around an HPA and holds its pods back, or changes them: quotas, limits, VPAs, nodes, admission."""

from collections.abc import Callable, Mapping
from typing import Any

from hpaaudit.api.canonical import canonical_json
from hpaaudit.api.see import metadata, named
from hpaaudit.model.facts import SurroundingSeen
from hpaaudit.model.units import Micros

Raw = Mapping[str, Any]
Kind = tuple[str, str]
"""API group and resource."""
NOTHING = "{}"

_TOUCHED = ("pods", "deployments", "statefulsets", "replicasets", "replicationcontrollers", "horizontalpodautoscalers")


def surrounding_seen(at_us: Micros, kind: Kind, raw: Raw) -> SurroundingSeen:
    """An object of one of KINDS: of its state only what holds pods back or changes them, NOTHING where that is none."""
    meta = metadata(raw)
    state = {key: value for key, value in KINDS[kind](raw).items() if value not in (None, "", [], {})}
    return SurroundingSeen(
        at_us=at_us,
        api_group=kind[0],
        resource=kind[1],
        namespace=meta.get("namespace", ""),
        name=named(meta),
        uid=meta.get("uid", ""),
        gone=False,
        state_json=canonical_json(state),
    )


def _quota(raw: Raw) -> dict[str, Any]:
    spec, status = raw.get("spec") or {}, raw.get("status") or {}
    return {
        "hard": status.get("hard") or spec.get("hard"),
        "used": status.get("used"),
        "scopes": spec.get("scopes"),
        "scopeSelector": spec.get("scopeSelector"),
    }


def _limits(raw: Raw) -> dict[str, Any]:
    return {"limits": (raw.get("spec") or {}).get("limits")}


def _vpa(raw: Raw) -> dict[str, Any]:
    spec, status = raw.get("spec") or {}, raw.get("status") or {}
    recommended = (status.get("recommendation") or {}).get("containerRecommendations") or ()
    return {
        "targetRef": spec.get("targetRef"),
        "updateMode": (spec.get("updatePolicy") or {}).get("updateMode"),
        "containerPolicies": (spec.get("resourcePolicy") or {}).get("containerPolicies"),
        "recommended": {one.get("containerName", ""): one.get("target") for one in recommended},
    }


def _node(raw: Raw) -> dict[str, Any]:
    spec, status = raw.get("spec") or {}, raw.get("status") or {}
    able, conditions = status.get("allocatable") or {}, status.get("conditions") or ()
    return {
        "ready": next((one.get("status") for one in conditions if one.get("type") == "Ready"), None),
        "unschedulable": spec.get("unschedulable"),
        "taints": [{key: one[key] for key in ("key", "effect") if key in one} for one in spec.get("taints") or ()],
        "allocatable": {name: able[name] for name in ("cpu", "memory", "pods") if name in able},
    }


def _webhooks(raw: Raw) -> dict[str, Any]:
    """Those that see a pod, a workload or its scale; whom they call but by name is nobody's business."""
    found = []
    for hook in raw.get("webhooks") or ():
        if any(_touches(rule) for rule in hook.get("rules") or ()):
            service = (hook.get("clientConfig") or {}).get("service") or {}
            found.append({
                "name": hook.get("name", ""),
                "failurePolicy": hook.get("failurePolicy", ""),
                "timeoutSeconds": hook.get("timeoutSeconds"),
                "rules": hook["rules"],
                "service": f"{service['namespace']}/{service['name']}" if service.get("name") else "",
            })  # fmt: skip
    return {"webhooks": found}


def _policy(raw: Raw) -> dict[str, Any]:
    spec = raw.get("spec") or {}
    rules = (spec.get("matchConstraints") or {}).get("resourceRules") or ()
    touching = [rule for rule in rules if _touches(rule)]
    return {"failurePolicy": spec.get("failurePolicy"), "rules": touching} if touching else {}


def _touches(rule: Raw) -> bool:
    """Whether a rule of admission concerns what an HPA moves."""
    for resource in rule.get("resources") or ():
        plural, _, subresource = str(resource).partition("/")
        if (plural in ("*", *_TOUCHED) and subresource in ("", "*", "scale")) or subresource == "scale":
            return True
    return False


ADMISSION = "admissionregistration.k8s.io"
KINDS: dict[Kind, Callable[[Raw], dict[str, Any]]] = {
    ("", "resourcequotas"): _quota,
    ("", "limitranges"): _limits,
    ("autoscaling.k8s.io", "verticalpodautoscalers"): _vpa,
    ("", "nodes"): _node,
    (ADMISSION, "mutatingwebhookconfigurations"): _webhooks,
    (ADMISSION, "validatingwebhookconfigurations"): _webhooks,
    (ADMISSION, "mutatingadmissionpolicies"): _policy,
    (ADMISSION, "validatingadmissionpolicies"): _policy,
}
"""What is read of each kind."""
OF_THE_CLUSTER = frozenset({"nodes", *(resource for group, resource in KINDS if group == ADMISSION)})
"""Kinds whose objects are in no namespace."""

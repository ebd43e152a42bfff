"""Objects that can limit or change the pods of an HPA: quotas, limits, VPAs, nodes, admission."""

from collections.abc import Callable, Mapping
from typing import Any

from hpaaudit.api.canonical import canonical_json
from hpaaudit.api.to_facts import metadata, named
from hpaaudit.model.facts import SurroundingSeen
from hpaaudit.model.units import Micros

Raw = Mapping[str, Any]
Kind = tuple[str, str]
"""API group and resource."""
EMPTY_STATE = "{}"

_CONCERNED = (
    "pods",
    "deployments",
    "statefulsets",
    "replicasets",
    "replicationcontrollers",
    "horizontalpodautoscalers",
)


def surrounding_seen(at_us: Micros, kind: Kind, raw: Raw) -> SurroundingSeen:
    """An object of one of KINDS, reduced to what limits or changes pods: EMPTY_STATE if there is none."""
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
        "recommended": {entry.get("containerName", ""): entry.get("target") for entry in recommended},
    }


def _node(raw: Raw) -> dict[str, Any]:
    spec, status = raw.get("spec") or {}, raw.get("status") or {}
    able, conditions = status.get("allocatable") or {}, status.get("conditions") or ()
    return {
        "ready": next((entry.get("status") for entry in conditions if entry.get("type") == "Ready"), None),
        "unschedulable": spec.get("unschedulable"),
        "taints": [
            {key: entry[key] for key in ("key", "effect") if key in entry} for entry in spec.get("taints") or ()
        ],
        "allocatable": {name: able[name] for name in ("cpu", "memory", "pods") if name in able},
    }


def _webhooks(raw: Raw) -> dict[str, Any]:
    """Webhooks that are called for a pod, a workload or its scale. Of their service only the name is kept."""
    webhooks = []
    for hook in raw.get("webhooks") or ():
        if any(_concerns_hpas(rule) for rule in hook.get("rules") or ()):
            service = (hook.get("clientConfig") or {}).get("service") or {}
            webhooks.append({
                "name": hook.get("name", ""),
                "failurePolicy": hook.get("failurePolicy", ""),
                "timeoutSeconds": hook.get("timeoutSeconds"),
                "rules": hook["rules"],
                "service": f"{service['namespace']}/{service['name']}" if service.get("name") else "",
            })  # fmt: skip
    return {"webhooks": webhooks}


def _policy(raw: Raw) -> dict[str, Any]:
    spec = raw.get("spec") or {}
    rules = (spec.get("matchConstraints") or {}).get("resourceRules") or ()
    relevant = [rule for rule in rules if _concerns_hpas(rule)]
    return {"failurePolicy": spec.get("failurePolicy"), "rules": relevant} if relevant else {}


def _concerns_hpas(rule: Raw) -> bool:
    """Whether an admission rule matches pods, workloads or their scale."""
    for resource in rule.get("resources") or ():
        plural, _, subresource = str(resource).partition("/")
        if (plural in ("*", *_CONCERNED) and subresource in ("", "*", "scale")) or subresource == "scale":
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
"""The kinds, each with the function that reduces an object."""
CLUSTER_SCOPED = frozenset({"nodes", *(resource for group, resource in KINDS if group == ADMISSION)})
"""Resources without a namespace."""

"""The behaviors that HPAs of the fleet have: as JSON, and as numbers for the simple controller."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

NONE: dict[str, Any] = {}
CALM = {
    "scaleDown": {
        "stabilizationWindowSeconds": 60,
        "policies": [{"type": "Percent", "value": 10, "periodSeconds": 60}],
    },
}
STEPS = {
    "scaleUp": {
        "stabilizationWindowSeconds": 60,
        "policies": [
            {"type": "Pods", "value": 4, "periodSeconds": 60},
            {"type": "Percent", "value": 50, "periodSeconds": 60},
        ],
    },
    "scaleDown": {
        "stabilizationWindowSeconds": 300,
        "policies": [{"type": "Pods", "value": 2, "periodSeconds": 60}],
    },
}
CAREFUL = {
    "scaleUp": {
        "selectPolicy": "Min",
        "policies": [
            {"type": "Pods", "value": 8, "periodSeconds": 30},
            {"type": "Percent", "value": 100, "periodSeconds": 30},
        ],
    },
    "scaleDown": {
        "stabilizationWindowSeconds": 600,
        "policies": [{"type": "Pods", "value": 1, "periodSeconds": 120}],
    },
}
BEHAVIORS = (NONE, CALM, STEPS, CAREFUL)
SHARES = (0.62, 0.14, 0.12, 0.12)

# What `spec.behavior` defaults to, and what stands for it where there is none: both as of autoscaling/v2.
DEFAULT_POLICIES = {
    "scaleUp": [
        {"type": "Pods", "value": 4, "periodSeconds": 15},
        {"type": "Percent", "value": 100, "periodSeconds": 15},
    ],
    "scaleDown": [{"type": "Percent", "value": 100, "periodSeconds": 15}],
}
DEFAULT_WINDOWS = {"scaleUp": 0, "scaleDown": 300}
POLICIES = 2
SECOND = 1_000_000


@dataclass(frozen=True, slots=True)
class Rules:
    """Scaling rules of one direction by HPA.

    pods, percent   of each policy; zero where it is the other kind
    periods_us      of each policy
    most            the policy that allows most is selected, else the one that allows least
    """

    window_us: NDArray[np.int64]
    pods: NDArray[np.int64]
    percent: NDArray[np.int64]
    periods_us: NDArray[np.int64]
    most: NDArray[np.bool_]


def rules(chosen: NDArray[np.int64], direction: str) -> Rules:
    """Return the rules of HPAs by the number of their behavior."""
    each = [_rules(behavior.get(direction, {}), direction) for behavior in BEHAVIORS]
    return Rules(
        window_us=np.array([window * SECOND for window, _, _ in each])[chosen],
        pods=np.array([[policy["value"] * (policy["type"] == "Pods") for policy in of] for _, of, _ in each])[chosen],
        percent=np.array([[policy["value"] * (policy["type"] != "Pods") for policy in of] for _, of, _ in each])[
            chosen
        ],
        periods_us=np.array([[policy["periodSeconds"] * SECOND for policy in of] for _, of, _ in each])[chosen],
        most=np.array([most for _, _, most in each])[chosen],
    )


def _rules(scaling_rules: Mapping[str, Any], direction: str) -> tuple[int, list[dict[str, Any]], bool]:
    """Return window, two policies (a single one stands twice), and whether the greater change is selected."""
    policies = scaling_rules.get("policies", DEFAULT_POLICIES[direction])
    window = scaling_rules.get("stabilizationWindowSeconds", DEFAULT_WINDOWS[direction])
    return window, (policies * POLICIES)[:POLICIES], scaling_rules.get("selectPolicy", "Max") == "Max"

"""Draws random choices: values on the edges of the controller's rules, and signals made of them."""

import random
from typing import Any

Json = dict[str, Any]

# Ratios of usage to target on which decisions turn, and the neighbours that one thousandth makes.
RATIOS = [
    0, 0.1, 0.25, 0.25, 0.4, 0.5, 0.5, 0.6, 0.75, 0.8, 0.89, 0.9, 0.9, 0.91, 0.95, 1, 1, 1, 1.05, 1.09, 1.1, 1.1, 1.11,
    1.2, 1.25, 1.5, 2, 2.2, 3,
]  # fmt: skip
NUDGES = [0, 0, 0, 0, 1, -1, 2, -2]

COMMON_RELEASE = "1.18"
"""The profile `common` is the same for every release, and has only what all of them know."""


class Draw:
    """A source of choices for one scenario of one release; the same arguments give the same choices."""

    def __init__(self, seed: int, profile: str, release: str, index: int) -> None:
        release = COMMON_RELEASE if profile == "common" else release
        self.rng = random.Random(f"{seed}/{profile}/{release}/{index}")  # noqa: S311 (chance that can be repeated)
        self.profile = profile
        self.minor = int(release.split(".")[1])

    def __call__(self, *choices: Any) -> Any:
        """One of the choices, or of the only one, a list."""
        return self.rng.choice(choices[0] if len(choices) == 1 else choices)

    def chance(self, probability: float) -> bool:
        """Whether something happens that does so this often."""
        return self.rng.random() < probability

    def whole(self, low: int, high: int) -> int:
        """A whole number, both ends included."""
        return self.rng.randint(low, high)

    def has(self, *profiles: str) -> bool:
        """Whether this scenario has a trait that these profiles share; `everything` has some of each."""
        return self.profile in profiles or (self.profile in ("everything", "common") and self.chance(0.3))


def milli(value: int) -> str:
    """A quantity of thousandths, as the API server would write it."""
    return str(value // 1000) if value % 1000 == 0 else f"{value}m"


def levels(d: Draw, until: float, base: int, step: float) -> list[list[float]]:
    """Points of a signal around a base: steps on the sync grid, from ratio to ratio."""
    points: list[list[float]] = [[0, base]]
    at = 0.0
    while True:
        at += step * d(1, 1, 1, 2, 2, 3, 4, 6, 10)
        if at >= until:
            return points
        value = round(base * d(RATIOS)) + d(NUDGES)
        points.append([at + d(0, 0, 0, 1, -1, 0.5), max(value, 0)])


def curve(d: Draw, until: float, base: int) -> Json:
    """A smooth demand, drawn by a few points."""
    points, at, value = [], 0, base
    while at < until:
        points.append([at, value])
        at += d.whole(30, 240)
        value = max(0, round(value * d(0.3, 0.5, 0.8, 0.9, 1, 1.1, 1.3, 1.8, 2.5)) + d.whole(-50, 50))
    return {"points": points, "linear": d.chance(0.7)}


def signal(d: Draw, until: float, base: int, step: float, count: int) -> tuple[str, Json]:
    """A mode and its signal: every pod the same, or a demand that the pods share."""
    if d.profile == "calm" or d.chance(0.2):
        return "share", curve(d, until, base * max(count, 1))
    if d.chance(0.7):
        return "share", {"points": levels(d, until, base * max(count, 1), step)}
    return "each", {"points": levels(d, until, base, step)}


def in_mode(points: Json, mode: str, wanted: str, count: int) -> Json:
    """A signal that was drawn for one mode, for another."""
    if mode == wanted:
        return points
    factor = count if wanted == "share" else 1 / max(count, 1)
    return {**points, "points": [[at, round(value * factor)] for at, value in points["points"]]}

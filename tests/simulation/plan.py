"""What goes wrong in one world: each seed switches some kinds of fault on, and says how often each occurs."""

import random
from dataclasses import dataclass, field

from hpaaudit.model.units import SECOND, Micros
from hpaaudit.recording.recorder.writer_limits import Limits
from tests.simulation import disk, network

NETWORK = {
    "refused": 0.1, "unavailable": 0.1, "throttled": 0.05, "unauthorized": 0.05, "odd": 0.05, "cut_answer": 0.05,
    "slow": 0.1, "cut": 0.3, "early_end": 0.3, "stall": 0.15, "repeat": 0.2, "late": 3.0, "malformed": 0.05,
    "expired": 0.3,
}  # fmt: skip
"""How often at most."""
DISK = {"write_error": 0.05, "short_write": 0.3, "sync_error": 0.1, "read_error": 0.05}
OTHERS = ("down", "restart", "compact", "restore", "forbid", "step", "sleep", "freeze", "full", "read_only",
          "kill", "kill_at", "power", "term", "second", "retention", "uploads", "no_crd", "slow_disk")  # fmt: skip
SHARE = 0.3
"""Of all kinds of fault, how many a seed has."""


@dataclass(frozen=True)
class Plan:
    """One world. `on` are the kinds of fault that it has."""

    seed: int
    on: frozenset[str]
    odds: network.Odds
    disk: disk.Odds
    limits: Limits
    namespace: str
    version: str
    page: int
    seconds: int
    extra: dict[str, float] = field(default_factory=dict)


def plan(seed: int, *, without: frozenset[str] = frozenset(), also: frozenset[str] = frozenset()) -> Plan:
    """Draws the world of a seed, without some kinds of fault, and with others in any case."""
    chance = random.Random(f"plan {seed}")  # noqa: S311
    share = chance.choice((0.0, 0.1, SHARE, SHARE, 0.6))
    every = (*NETWORK, *DISK, *OTHERS)
    on = frozenset(name for name in every if chance.random() < share) - without | also
    odds = network.Odds(
        latency=chance.choice((0.01, 0.2, 1.0)),
        **{name: most * chance.random() for name, most in NETWORK.items() if name in on},
    )
    keep_us = Micros(chance.choice((100, 300)) * SECOND) if "retention" in on and chance.random() < 0.5 else None
    keep_bytes = chance.choice((20_000, 60_000)) if "retention" in on and keep_us is None else None
    limits = Limits(
        sync_us=Micros(chance.choice((1, 5, 5)) * SECOND),
        sync_bytes=chance.choice((2_000, 1 << 20)),
        segment_us=Micros(chance.choice((60, 200, 3600)) * SECOND),
        segment_bytes=chance.choice((20_000, 60_000, 20 << 20)),
        ballast_bytes=chance.choice((0, 1 << 16)),
        keep_us=keep_us,
        keep_bytes=keep_bytes,
    )
    return Plan(
        seed=seed,
        on=on,
        odds=odds,
        disk=disk.Odds(**{name: most * chance.random() for name, most in DISK.items() if name in on}),
        limits=limits,
        namespace=chance.choice(("", "shop")),
        version=chance.choice(("v1.36.2", "v1.30.4")),
        page=chance.choice((2, 500)),
        seconds=chance.choice((200, 400, 800)),
    )

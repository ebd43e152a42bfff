"""Holds a recording against the ledger of its world."""

from tests.simulation.world import World


def check(world: World) -> int:
    return 0

"""Finds how much more load, or less, on every metric changes a decision."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from hpaaudit.engine.replay.process import ReconcileInput
from hpaaudit.flows.desired import desired_of, nearest_change
from hpaaudit.model.decision import Decision
from hpaaudit.model.facts import ResourceMetricsRead, ValuesRead
from hpaaudit.model.flips import LoadFlip
from hpaaudit.model.metrics import ContainerUsage
from hpaaudit.model.units import Milli

WHOLE = 1000
"""All of a measured value, in tenths of a percent."""

_UP: Sequence[int] = (*range(1, 10), *range(10, 100, 10), *range(100, 1000, 50), *range(1000, 5001, 500))
_DOWN: Sequence[int] = (*range(1, 10), *range(10, 100, 10), *range(100, 1001, 50))
"""The changes that are tried first, in tenths of a percent: up to six times the load, and down to none."""


def load_flips(decision: Decision, inputs: ReconcileInput) -> Iterator[LoadFlip]:
    """The least change of the load in each direction that leads to another number.

    More load never leads to fewer pods, so between two changes that are tried the nearest one is found by halving.
    """
    for steps, sign in ((_UP, 1), (_DOWN, -1)):
        unchanged = 0
        for step in steps:
            if _desired_with(inputs, sign * step) != decision.desired:
                at = partial(_desired_with, inputs)
                permille = nearest_change(at, decision.desired, sign * unchanged, sign * step)
                desired = at(permille)
                if desired is not None:
                    yield LoadFlip(permille=permille, desired=desired)
                break
            unchanged = step


def _desired_with(inputs: ReconcileInput, permille: int) -> int | None:
    observation = inputs.observation
    metrics = tuple(_with_load(read, WHOLE + permille) for read in observation.metrics)
    return desired_of(replace(inputs, observation=replace(observation, metrics=metrics)))


def _with_load(read: ResourceMetricsRead | ValuesRead | None, permille: int) -> ResourceMetricsRead | ValuesRead | None:
    """The same answer with so many thousandths of each value."""
    if isinstance(read, ResourceMetricsRead) and read.samples is not None:
        samples = tuple(
            replace(
                sample,
                containers=tuple(
                    ContainerUsage(
                        name=container.name,
                        usage=tuple((resource, _scaled(used, permille)) for resource, used in container.usage),
                    )
                    for container in sample.containers
                ),
            )
            for sample in read.samples
        )
        return replace(read, samples=samples)
    if isinstance(read, ValuesRead) and read.values is not None:
        return replace(
            read, values=tuple(replace(value, value=_scaled(value.value, permille)) for value in read.values)
        )
    return read


def _scaled(value: Milli, permille: int) -> Milli:
    """A value with the load changed to so many thousandths of it; in milli, rounded up as the controller rounds."""
    return Milli(-(-value * permille // WHOLE))

"""The lists of pods and the answers of Heapster that a controller up to 1.11 read in one reconcile."""

from collections import deque

from hpaaudit.api import selector as selectors
from hpaaudit.engine.controller.metrics_client import Problem
from hpaaudit.engine.controller.observed_heapster import Question, observed
from hpaaudit.model.facts import HeapsterRead
from hpaaudit.model.observation import Observation, PodListRead
from hpaaudit.model.target import Pod

_OK = range(200, 300)


class OwnReads:
    """The answers that one reconcile got, in order. Each is used once, because the controller got it once.

    What others got of Heapster counts where no answer to the controller is recorded.
    """

    def __init__(self, observation: Observation) -> None:
        self._now_us = observation.decided_us
        self._others = observation.heapster
        self._lists: deque[PodListRead] = deque()
        self._heapster: deque[HeapsterRead] = deque()
        for read in observation.own_reads:
            if isinstance(read, PodListRead):
                self._lists.append(read)
            else:
                self._heapster.append(read)

    def pods(self, watched: tuple[Pod, ...]) -> tuple[Pod, ...] | Problem:
        """The pods of the next list, in the order of their names, or why it failed.

        watched   the pods to take where no list was recorded
        """
        if not self._lists:
            return watched
        answer = self._lists.popleft()
        if answer.read.status not in _OK:
            return Problem("metric.invalid.api_unavailable", answer.read.error)
        return selected(answer.pods, answer.read.selector)

    def heapster(self, question: Question) -> HeapsterRead | None:
        """The next answer of Heapster, else what others got to this question; None if no more was recorded."""
        return self._heapster.popleft() if self._heapster else observed(self._others, question, self._now_us)


def selected(pods: tuple[Pod, ...], selector: str) -> tuple[Pod, ...]:
    """The pods that a selector matches, in the order of their names; without a selector all of them."""
    chosen = selectors.parse(selector)
    return tuple(sorted((pod for pod in pods if chosen.matches_pairs(pod.labels)), key=lambda pod: pod.name))

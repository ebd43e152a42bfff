"""The inputs that one reconcile may have read: the newest ones, and others that are close enough in time."""

from dataclasses import replace

from hpaaudit.api.requests import RESOURCE_METRICS, requests_of
from hpaaudit.api.selector import BadSelector, parse, scale_selector
from hpaaudit.engine.controller.reconcile import told_scale_error
from hpaaudit.engine.replay.cluster_state import ClusterState, MetricsRead, whole_namespace
from hpaaudit.engine.rules.candidates import (
    FIRST,
    Candidate,
    answer_choices,
    chosen_answers,
    failed_reads,
    is_scale_unread,
    unanswered,
)
from hpaaudit.model.facts import ScaleRead
from hpaaudit.model.hpa import Hpa, HpaStatus
from hpaaudit.model.metrics import MetricsRequest
from hpaaudit.model.observation import Observation
from hpaaudit.model.units import Micros

_FAILED = 500
"""Stands for the HTTP status of a failed read, which no published status tells."""


class CandidateInputs:
    """The inputs that one reconcile may have read, in the order of `rules.candidates`.

    observation   the newest inputs
    earlier       how many facts a lagging cache of pods and scale may have received
    reach_us      an answer recorded at most this long after the reconcile may be the one that it read
    by_kind       the controller found a target by its kind alone (to 1.8)
    """

    def __init__(
        self, cluster: ClusterState, observation: Observation, earlier: int, reach_us: Micros, *, by_kind: bool = False
    ) -> None:
        self._cluster = cluster
        self._read_selector = parse if by_kind else scale_selector
        self._newest = observation
        self._reach_us = reach_us
        hpa = observation.hpa
        target = None if hpa is None else cluster.target_of(hpa, by_kind=by_kind)
        self.earlier_scale = None if target is None else cluster.earlier_scale(target, earlier)
        self.earlier_pods = None if hpa is None else cluster.earlier_pods(observation.namespace, earlier)
        self._requests = list(dict.fromkeys(read.request for read in observation.metrics if read is not None))
        self._answers = [self._answers_of(self._scale(earlier=False))]
        if self.earlier_scale is not None:
            self._answers.append(self._answers_of(self.earlier_scale))

    @property
    def failed_reads(self) -> int:
        """In how many ways reads of the controller may have failed while ours succeeded."""
        return failed_reads(len(self._requests), self._is_scale_read)

    def answers(self, candidate: Candidate) -> int:
        """How many choices of answers there are with the scale of a candidate."""
        return answer_choices(
            len([1 for _, later in self._answers[candidate.earlier_scale].values() if later is not None])
        )

    def of(self, candidate: Candidate) -> Observation:
        """The observation of a candidate: the newest answers or the next ones, pods and scale as they are or were."""
        observation = self._newest
        if candidate == FIRST or observation.hpa is None:
            return observation
        scale, answers = self._scale(earlier=candidate.earlier_scale), self._answers[candidate.earlier_scale]
        following = sum(1 << rank for rank, (_, later) in enumerate(answers.values()) if later is not None)
        chosen = chosen_answers(following, len(answers), candidate.nth)
        by_request = {
            request: later if chosen >> rank & 1 else newest
            for rank, (request, (newest, later)) in enumerate(answers.items())
        }
        metrics = tuple(
            None if request is None else by_request.get(request) for request in self._wanted(observation.hpa, scale)
        )
        return replace(
            observation,
            scale_reads=() if scale is None else (scale,),
            pods=self.earlier_pods if candidate.earlier_pods and self.earlier_pods is not None else observation.pods,
            metrics=metrics,
            metric_us=tuple(observation.at_us for _ in metrics),
        )

    def unread(self, nth: int, published: HpaStatus) -> Observation:
        """The newest inputs without the answers whose reads failed in the n-th way.

        published   tells why the scale could not be read, if that failed
        """
        observation = self._newest
        if is_scale_unread(nth, self._is_scale_read):
            read = observation.scale_reads[0]
            failed_scale = replace(read, status=_FAILED, error=told_scale_error(published, read.target), scale=None)
            metrics: tuple[MetricsRead | None, ...] = (None,) * len(observation.metrics)
            return replace(observation, scale_reads=(failed_scale,), metrics=metrics)
        failed = unanswered(len(self._requests), nth, self._is_scale_read)
        lost = {request for rank, request in enumerate(self._requests) if failed >> rank & 1}
        return replace(
            observation,
            metrics=tuple(None if read is None or read.request in lost else read for read in observation.metrics),
        )

    @property
    def _is_scale_read(self) -> bool:
        """True if a scale is recorded that the reconcile can have read."""
        scale = self._scale(earlier=False)
        return scale is not None and scale.scale is not None

    def _scale(self, *, earlier: bool) -> ScaleRead | None:
        if earlier:
            return self.earlier_scale
        return self._newest.scale_reads[0] if self._newest.scale_reads else None

    def _answers_of(
        self, scale: ScaleRead | None
    ) -> dict[MetricsRequest, tuple[MetricsRead | None, MetricsRead | None]]:
        """The newest answer to each distinct request, and the next one if it came in reach."""
        cluster, observation = self._cluster, self._newest
        if observation.hpa is None:
            return {}
        answers: dict[MetricsRequest, tuple[MetricsRead | None, MetricsRead | None]] = {}
        for request in self._wanted(observation.hpa, scale):
            if request is None or request in answers:
                continue
            recorded_request = request
            if request not in cluster.metrics and request.api == RESOURCE_METRICS:
                recorded_request = whole_namespace(request)
            following = cluster.upcoming.get(recorded_request)
            later = following[0] if following and following[0].at_us - observation.at_us <= self._reach_us else None
            answers[request] = cluster.metrics.get(recorded_request), later
        return answers

    def _wanted(self, hpa: Hpa, scale: ScaleRead | None) -> tuple[MetricsRequest | None, ...]:
        if scale is None or scale.scale is None:
            return ()
        try:
            return requests_of(hpa, str(self._read_selector(scale.scale.selector)))
        except BadSelector:
            return ()

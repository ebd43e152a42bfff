"""Memory whose age is not exactly known, near the edge of a window or period."""

import pytest

from hpaaudit.engine.replay.hpa_history import never_reconciled
from hpaaudit.engine.replay.unseen_memory import has_near_age, hidden_hpa, hides_reconciles, shifted
from hpaaudit.engine.rules.candidates import SHIFTS
from hpaaudit.model.facts import Gap
from hpaaudit.model.flags import Flags
from hpaaudit.model.hpa import Behavior, Hpa, HpaSpec, HpaStatus, ObjectRef, ScalingPolicy, ScalingRules
from hpaaudit.model.memory import Memory, Recommendation, ScaleEvent
from hpaaudit.model.units import SECOND, Micros

NOW = Micros(1000 * SECOND)
PERIOD = Micros(15 * SECOND)
SLACK = PERIOD // 2


def hpa(behavior: Behavior | None) -> Hpa:
    """Only its behavior matters."""
    target = ObjectRef(api_version="apps/v1", kind="Deployment", name="web")
    spec = HpaSpec(target=target, min_replicas=1, max_replicas=9, metrics=(), behavior=behavior)
    status = HpaStatus(
        observed_generation=None,
        last_scale_us=None,
        current_replicas=1,
        desired_replicas=1,
        current_metrics=None,
        conditions=(),
    )
    return Hpa(namespace="shop", name="web", uid="1", resource_version="1", generation=1, spec=spec, status=status)


def rules(window: int | None, *periods: int) -> ScalingRules:
    """One direction."""
    policies = tuple(ScalingPolicy(type="Pods", value=1, period_seconds=period) for period in periods)
    return ScalingRules(stabilization_window_seconds=window, select_policy=None, policies=policies, tolerance=None)


STEPWISE = Behavior(scale_up=rules(0, 60), scale_down=rules(120, 90))


@pytest.mark.parametrize(
    ("behavior", "age_seconds", "matters"),
    [
        (None, 300, True),
        (None, 294, True),
        (None, 307, True),
        (None, 292, False),
        (None, 308, False),
        (STEPWISE, 120, True),
        (STEPWISE, 60, True),
        (STEPWISE, 90, True),
        (STEPWISE, 105, False),
    ],
)
def test_what_is_near_the_edge_of_a_window_may_be_on_either_side(
    behavior: Behavior | None, age_seconds: int, matters: bool
) -> None:
    old = Micros(NOW - age_seconds * SECOND)
    memory = Memory(recommendations=(Recommendation(replicas=5, at_us=old),))
    assert has_near_age(memory, hpa(behavior), Flags(), NOW, PERIOD) is matters
    recommendations = [shifted(memory, nth, PERIOD).recommendations for nth in range(SHIFTS)]
    assert recommendations == [(Recommendation(replicas=5, at_us=Micros(old + by)),) for by in (-SLACK, SLACK)]


def test_scale_events_are_shifted_with_the_rest() -> None:
    event = ScaleEvent(change=2, at_us=Micros(NOW - 60 * SECOND), outdated=False)
    memory = Memory(recommendations=(), up=(event,))
    assert has_near_age(memory, hpa(STEPWISE), Flags(), NOW, PERIOD)
    earlier, later = (shifted(memory, nth, PERIOD) for nth in range(SHIFTS))
    assert [memory.up[0].at_us - event.at_us for memory in (earlier, later) if memory.up] == [-SLACK, SLACK]
    assert (earlier.down, later.down) == (None, None)


@pytest.mark.parametrize(
    ("prefix", "key"),
    [
        ("*", None),
        ("/apis/autoscaling/v2/horizontalpodautoscalers?labelSelector=a", None),
        ("/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers", None),
        ("/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers/", None),
        ("/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers/a%2Fb", "shop/a/b"),
        ("/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers/web", "shop/web"),
    ],
)
def test_a_gap_of_one_hpa_hides_that_one_alone(prefix: str, key: str | None) -> None:
    gap = Gap(at_us=NOW, until_us=Micros(NOW + 60 * SECOND), prefix=prefix, cause="it cannot be read")
    assert hides_reconciles(gap, Micros(15 * SECOND))
    assert hidden_hpa(gap) == key


@pytest.mark.parametrize(
    ("status", "annotations", "is_new"),
    [
        ("{}", "{}", True),
        ('{"currentReplicas":0,"desiredReplicas":0}', "{}", True),
        ('{"currentMetrics":null,"desiredReplicas":0}', "{}", True),
        ('{"conditions":null,"currentMetrics":null,"currentReplicas":0,"desiredReplicas":0}', "{}", True),
        ('{"conditions":[],"currentMetrics":[],"currentReplicas":0,"desiredReplicas":0}', "{}", True),
        ('{"currentReplicas":1,"desiredReplicas":0}', "{}", False),
        ('{"currentReplicas":0,"desiredReplicas":0}', '{"autoscaling.alpha.kubernetes.io/conditions":"[]"}', False),
        ('{"currentReplicas":0,"desiredReplicas":0}', '{"autoscaling.alpha.kubernetes.io/behavior":"{}"}', True),
        ('{"conditions":[{"type":"AbleToScale"}],"desiredReplicas":0}', "{}", False),
        ('{"desiredReplicas":0,"lastScaleTime":"2026-03-02T14:05:30Z"}', "{}", False),
        ("null", "{}", False),
        ("[", "{}", False),
    ],
)
def test_an_hpa_is_new_while_nothing_in_its_status_has_a_value(status: str, annotations: str, is_new: bool) -> None:
    """Each version of the API shows an empty status in its own way."""
    assert never_reconciled(status, annotations) is is_new

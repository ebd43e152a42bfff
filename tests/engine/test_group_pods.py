"""A pod is ready, unready, missing or ignored; readiness is asked for cpu only."""

import pytest

from hpaaudit.engine.rules.group_pods import IGNORED, MISSING, READY, UNREADY, group_by_readiness
from tests.engine.scenes import Metric, cpu, memory, pods, propose

CASES = [
    ("a terminating pod is ignored", "1@500:terminating", "ignored terminating"),
    ("a Failed pod is ignored", "1@500:failed", "ignored failed"),
    ("a terminating Pending pod is ignored, not unready", "1:pending,terminating", "ignored terminating"),
    ("a Pending pod is unready, even with a sample", "1@500:pending", "unready pending"),
    ("a Running pod without a sample is missing", "1", "missing no_sample"),
    ("a Running, not Ready pod without a sample is missing, not unready", "1:unready", "missing no_sample"),
    ("a Succeeded pod without a sample is missing", "1:succeeded", "missing no_sample"),
    ("a Succeeded pod with a sample is ready", "1@500:succeeded", "ready measured"),
    ("no Ready condition: unready", "1@500:unconditioned", "unready no_ready_condition"),
    ("no start time: unready", "1@500:unstarted", "unready no_ready_condition"),
    ("young, the sample began before it was ready", "1@500:start-100,since-50", "unready sample_before_ready"),
    ("young, the sample began when it became ready", "1@500:start-100,since-60", "ready measured"),
    ("young and not Ready", "1@500:start-10,unready,since-5", "unready initializing"),
    ("young, Ready Unknown: judged by the sample alone", "1@500:start-250,unknown,since-200", "ready measured"),
    ("young, Ready Unknown, early sample", "1@500:start-250,unknown,since-20", "unready sample_before_ready"),
    ("exactly at the initialization period the late rule holds", "1@500:start-300,unready,since-100", "ready measured"),
    ("a second younger the early rule holds", "1@500:start-299,unready,since-100", "unready initializing"),
    ("never ready: not Ready since 29 s after the start", "1@500:start-1000,unready,since-971", "unready never_ready"),
    ("was ready: not Ready since 30 s after the start", "1@500:start-1000,unready,since-970", "ready measured"),
    ("old, Ready Unknown: ready", "1@500:start-1000,unknown,since-990", "ready measured"),
    ("up 20 s, ready 15 s, window 10 s: counted", "1@500:start-20,since-15,window-10", "ready measured"),
    ("an old sample of a young pod does not count", "1@500:start-120,since-70,age-20", "unready sample_before_ready"),
    ("one that began after it was ready does", "1@500:start-120,since-80,age-20", "ready measured"),
    ("once ready and unready for long: ready", "1@500:unready,since-9000", "ready measured"),
]  # fmt: skip


def _bucket(metric: Metric, text: str) -> str:
    """Shows how the last pod counts; the first one is ready, so that the metric is valid."""
    last = propose(metric, crowd=pods("1@500 " + text), replicas=2).pods[-1]
    return f"{last.bucket} {last.why_code}"


@pytest.mark.parametrize(("text", "bucket"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_for_cpu(text: str, bucket: str) -> None:
    assert _bucket(cpu(50), text) == bucket


@pytest.mark.parametrize(
    ("text", "bucket"),
    [
        ("1@500:start-10,unready", "ready measured"),
        ("1@500:unconditioned", "ready measured"),
        ("1@500:unstarted", "ready measured"),
        ("1:unready", "missing no_sample"),
        ("1@500:pending", "unready pending"),
        ("1@500:failed", "ignored failed"),
    ],
)
def test_for_memory_readiness_is_not_looked_at(text: str, bucket: str) -> None:
    assert _bucket(memory(50), text) == bucket


def test_a_container_and_an_average_of_cpu_look_at_readiness_too() -> None:
    from tests.engine.scenes import container

    young = "1@500:start-10,unready"
    assert _bucket(container("app", 50), young) == "unready initializing"
    assert _bucket(cpu(average=500), young) == "unready initializing"


def test_each_pod_falls_into_exactly_one_bucket() -> None:
    crowd = pods("3@500 2:pending 2 1@500:unready,start-10 2@500:terminating 1@500:failed 1@900:ghost")
    proposal = propose(cpu(50), crowd=crowd, replicas=5)
    assert (proposal.ready_pods, proposal.unready_pods, proposal.missing_pods, proposal.ignored_pods) == (3, 3, 2, 3)
    assert len({pod.pod for pod in proposal.pods}) == len(proposal.pods) == 11


@pytest.mark.parametrize(
    ("is_ready", "has_failed", "has_sample", "skips_failed", "bucket"),
    [
        (True, False, True, True, READY),
        (True, False, False, True, MISSING),
        (False, False, True, True, UNREADY),
        (False, True, True, True, IGNORED),
        (False, True, True, False, UNREADY),
    ],
)
def test_up_to_1_11_a_pod_that_is_not_ready_now_is_unready_for_every_metric(
    is_ready: bool, has_failed: bool, has_sample: bool, skips_failed: bool, bucket: int
) -> None:
    assert group_by_readiness(is_ready, has_failed, has_sample, skips_failed) == bucket

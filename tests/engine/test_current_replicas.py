"""From how many replicas a scale changes, where current replicas and spec.replicas differ."""

import pytest

from hpaaudit.engine.rules.current_replicas import scale_change


@pytest.mark.parametrize(
    ("spec", "current", "desired", "change"),
    [
        pytest.param(3, 3, 3, 0, id="nothing changes"),
        pytest.param(3, 3, 5, 2, id="up"),
        pytest.param(3, 3, 1, -2, id="down"),
        pytest.param(3, 7, 7, 0, id="a rollout runs the wanted pods already, so that nothing is written"),
        pytest.param(3, 7, 3, 0, id="the wanted number is written, and stands there already"),
        pytest.param(3, 7, 5, 2, id="fewer than run, more than the spec asks for"),
        pytest.param(3, 7, 2, -1, id="fewer than both"),
    ],
)
def test_the_change_is_counted_from_the_spec_unless_the_wanted_pods_run(
    spec: int, current: int, desired: int, change: int
) -> None:
    assert scale_change(spec, current, desired) == change

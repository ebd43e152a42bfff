"""A holder of the Lease that comes back is the same process only where its identity names a process and was renewed."""

import pytest

from hpaaudit.api.lease_holders import passing_states
from hpaaudit.model.facts import LeaseSeen
from hpaaudit.model.units import SECOND, Micros

A = "node-1_2f1c7a52-3d0f-4b8e-9f64-1a2b3c4d5e6f"
B = "node-2_9b0e6d11-77aa-4c1d-8e21-0f1e2d3c4b5a"
HOST, OTHER, NOBODY = "node-1", "another-program", ""


@pytest.mark.parametrize(
    ("holders", "passing"),
    [
        pytest.param([A, A], [], id="nobody else"),
        pytest.param([A, OTHER, A], [1], id="taken and given back"),
        pytest.param([A, OTHER, OTHER, A, A], [1, 2], id="given back after a while"),
        pytest.param([A, NOBODY, A], [1], id="deleted and made again"),
        pytest.param([A, OTHER, B, A, B], [1, 2], id="taken by two, and then a real restart"),
        pytest.param([A, OTHER, A, OTHER, A], [1, 3], id="taken twice"),
        pytest.param([A, B], [], id="another process takes over"),
        pytest.param([A, OTHER], [], id="never given back"),
        pytest.param([A, OTHER, B], [], id="another process comes back"),
        pytest.param([HOST, OTHER, HOST], [], id="a host's name is that of a new process as well"),
        pytest.param([OTHER, A, OTHER], [], id="a program's name says nothing"),
        pytest.param([A, (B, 1), (A, 0), (B, 2)], [2], id="an old state from a cache that lags behind"),
        pytest.param([A, (OTHER, 1), (A, 1)], [], id="not renewed since"),
        pytest.param([A, (OTHER, None), A], [1], id="without a time of renewal"),
    ],
)
def test_only_a_process_that_renews_its_lease_again_was_there_all_along(
    holders: list[str | tuple[str, int | None]], passing: list[int]
) -> None:
    leases = []
    for number, told in enumerate(holders):
        holder, renewed = told if isinstance(told, tuple) else (told, number)
        leases.append(
            LeaseSeen(
                at_us=Micros(number * SECOND), namespace="kube-system", name="kube-controller-manager", holder=holder,
                acquired_us=None, renewed_us=None if renewed is None else Micros(renewed * SECOND), transitions=0,
            )
        )  # fmt: skip
    assert passing_states(leases) == {leases[number] for number in passing}

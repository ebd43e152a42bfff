"""When no process led, from what was seen of the Lease: nothing is said that a Lease does not say."""

import json
from dataclasses import replace

import pytest

from hpaaudit.model.facts import ControllerSeen, LeaseSeen
from hpaaudit.model.units import SECOND, Micros
from hpaaudit.results.epochs import Epochs
from hpaaudit.results.lease_outages import lease_outages

NOBODY = ""


def us(seconds: float) -> Micros:
    """Microseconds."""
    return Micros(round(seconds * SECOND))


def state(at: float, renewed: float | None = None, holder: str = "a", acquired: float = -100) -> LeaseSeen:
    """A Lease as it was seen at a second."""
    return LeaseSeen(
        at_us=us(at), namespace="kube-system", name="kube-controller-manager", holder=holder, acquired_us=us(acquired),
        renewed_us=us(at if renewed is None else renewed), transitions=0,
    )  # fmt: skip


STEADY = [state(15 * n) for n in range(9)]
"""Renewed until second 120."""


@pytest.mark.parametrize(
    ("states", "unseen", "ended", "outages"),
    [
        pytest.param([], [], 500, [], id="no Lease was seen"),
        pytest.param([state(0)], [], 500, [], id="a fresh state says nothing of later"),
        pytest.param([state(0), state(300)], [], 500, [], id="somebody looked twice"),
        pytest.param([state(0, -900)], [], 500, [(-900, -885, None, False)], id="last renewed long ago"),
        pytest.param([state(0, -40), state(15, -25), state(30, -10)], [], 40, [], id="a clock that is behind"),
        pytest.param(STEADY, [], 130, [], id="renewed until the end"),
        pytest.param(STEADY, [], 500, [(120, 135, None, True)], id="renewed, then not any more"),
        pytest.param(STEADY, [(100, 600)], 500, [], id="its watch was interrupted"),
        pytest.param(STEADY, [(300, 600)], 500, [(120, 135, None, True)], id="its watch was interrupted long after"),
        pytest.param(
            STEADY, [(125, 300)], 500, [(120, 135, None, True)], id="its watch went on, and showed no renewal"
        ),
        pytest.param(STEADY, [(125, 480)], 500, [], id="its watch had just gone on"),
        pytest.param([*STEADY, state(200, 120)], [], 201, [(120, 135, None, True)], id="seen again as it was"),
        pytest.param(
            [*STEADY, state(200, holder="b", acquired=198)], [], 201, [(120, 135, 198, True)], id="another takes over"
        ),
        pytest.param([*STEADY, state(200)], [], 201, [(120, 135, 200, True)], id="the same holder was halted"),
        pytest.param(
            [*STEADY, state(122, holder=NOBODY), state(140, holder="b", acquired=139)],
            [],
            141,
            [(122, 122, 139, True)],
            id="given up",
        ),
        pytest.param([*STEADY, state(122, holder="b", acquired=122)], [], 130, [], id="handed over at once"),
    ],
)
def test_when_nobody_led(
    states: list[LeaseSeen],
    unseen: list[tuple[float, float]],
    ended: float,
    outages: list[tuple[float, float, float | None, bool]],
) -> None:
    outages_found = lease_outages(states, [(us(since), us(until)) for since, until in unseen], us(ended))
    assert [(one.renewed_us, one.lapsed_us, one.until_us, one.was_renewed) for one in outages_found] == [
        (us(renewed), us(lapsed), None if until is None else us(until), was_renewed)
        for renewed, lapsed, until, was_renewed in outages
    ]


PROCESS, OTHER = "node_2f1c7a52-3d0f-4b8e-9f64-1a2b3c4d5e6f", "node_9b0e6d11-77aa-4c1d-8e21-0f1e2d3c4b5a"


def test_a_process_whose_lease_was_taken_and_given_back_is_one_process() -> None:
    epochs = Epochs()
    holders = [*[PROCESS] * 5, "program", PROCESS, NOBODY, PROCESS, OTHER]
    for number, holder in enumerate(holders):
        epochs.add(state(15 * number, holder=holder))
    first, second = epochs.rows("r1", epochs.outages([], us(140)))
    assert epochs.outages([], us(140)) == ()
    assert (first["holder"], first["ended_at"], second["holder"]) == (PROCESS, us(135), OTHER)
    assert json.loads(first["other_holders"]) == [{"holder": "program", "from_us": us(75), "until_us": us(90)}]
    assert second["other_holders"] is None


def test_a_lease_lasts_as_long_as_the_recorded_flag_says() -> None:
    recorded = ControllerSeen(
        at_us=us(0), state="declared", release="1.36", version="", gates=(),
        flags=(("leader-elect-lease-duration", "1m0s"),),
    )  # fmt: skip
    for flags, lapsed in ((recorded.flags, 180), ((), 135), ((("leader-elect-lease-duration", "soon"),), 135)):
        epochs = Epochs()
        epochs.add(replace(recorded, flags=flags))
        for seen in STEADY:
            epochs.add(seen)
        [outage] = epochs.outages([], us(500))
        assert (outage.renewed_us, outage.lapsed_us) == (us(120), us(lapsed))


def test_what_the_user_says_of_the_lease_wins_over_what_was_recorded() -> None:
    epochs = Epochs(lease_duration_us=us(20))
    recorded = ControllerSeen(
        at_us=us(0), state="declared", release="1.36", version="", gates=(),
        flags=(("leader-elect-lease-duration", "1m0s"),),
    )  # fmt: skip
    for seen in (recorded, *STEADY):
        epochs.add(seen)
    [outage] = epochs.outages([], us(500))
    assert outage.lapsed_us == us(140)


def lasting(seconds: int | None) -> list[LeaseSeen]:
    """The steady Lease with this `leaseDurationSeconds`."""
    return [replace(one, duration_seconds=seconds) for one in STEADY]


@pytest.mark.parametrize(
    ("seconds", "given", "flags", "lapsed"),
    [
        pytest.param(60, None, (), 180, id="it says so itself"),
        pytest.param(
            60, None, (("leader-elect-lease-duration", "30s"),), 180, id="it knows better than a recorded flag"
        ),
        pytest.param(60, 20, (), 140, id="the user knows best"),
        pytest.param(None, None, (("leader-elect-lease-duration", "30s"),), 150, id="not recorded: the flag"),
        pytest.param(None, None, (), 135, id="not recorded: the default"),
        pytest.param(0, None, (), 135, id="no API server accepts 0"),
        pytest.param(2**40, None, (), 135, id="nor more than 32 bits"),
    ],
)
def test_a_lease_runs_out_when_it_says(
    seconds: int | None, given: int | None, flags: tuple[tuple[str, str], ...], lapsed: int
) -> None:
    epochs = Epochs(lease_duration_us=None if given is None else us(given))
    epochs.add(ControllerSeen(at_us=us(0), state="declared", release="1.36", version="", gates=(), flags=flags))
    for seen in lasting(seconds):
        epochs.add(seen)
    [outage] = epochs.outages([], us(500))
    assert (outage.renewed_us, outage.lapsed_us) == (us(120), us(lapsed))


def test_a_lease_that_lasts_long_is_not_said_to_have_run_out_early() -> None:
    assert [*lease_outages(lasting(15), [], us(220))] != []
    assert [*lease_outages(lasting(60), [], us(220))] == []

"""Many gaps with one cause are one line of `inspect`; JSON has each of them."""

from hypothesis import given
from hypothesis import strategies as st

from hpaaudit.model.facts import Gap
from hpaaudit.model.units import SECOND, Micros
from hpaaudit.report.folded_gaps import gap_lines
from tests.report.accounts import NOON


def gap(at_s: int, lasts_s: int, cause: str = "the watch broke", prefix: str = "/api/v1/pods") -> Gap:
    """A gap so many seconds after noon."""
    begin = Micros(NOON + at_s * SECOND)
    return Gap(at_us=begin, until_us=Micros(begin + lasts_s * SECOND), prefix=prefix, cause=cause)


def test_three_hundred_gaps_of_two_causes_are_two_rows() -> None:
    gaps = [gap(60 * n, 2, f"the recorder was late and missed {n % 3 + 1} read{'s' * (n % 3 > 0)}") for n in range(300)]
    gaps += [gap(100, 50), gap(120, 10, prefix="/api/v1/events")]
    assert "\n".join(gap_lines(gaps)).splitlines() == [
        "  gaps: 302",
        "    TIMES  TOTAL    LONGEST  FIRST                 LAST UNTIL            WHAT          CAUSE",
        (
            "      300  10m 00s  2s       2026-03-02T12:00:00Z  2026-03-02T16:59:02Z  /api/v1/pods  "
            "the recorder was late and missed N reads"
        ),
        "        2  50s      50s      2026-03-02T12:01:40Z  2026-03-02T12:02:30Z  2 paths       the watch broke",
    ]


def test_none_is_said() -> None:
    assert list(gap_lines([])) == ["  gaps: none"]


@given(st.lists(st.builds(gap, st.integers(0, 5000), st.integers(0, 300), st.sampled_from(("a", "b 1", "b 22")))))
def test_no_gap_is_lost_and_no_cause_hides_more_than_its_span(gaps: list[Gap]) -> None:
    rows = [line.split() for block in list(gap_lines(gaps))[1:] for line in block.splitlines()[1:]]
    assert sum(int(row[0]) for row in rows) == len(gaps)
    assert len(rows) == len({gap.cause[0] for gap in gaps})

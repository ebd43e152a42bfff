"""What programs read: each time stands as RFC 3339 beside its microseconds, and everything else stays as it is."""

import json

import yaml
from hypothesis import given
from hypothesis import strategies as st

from hpaaudit.api.times import micros
from hpaaudit.report.structured import structured, with_times

NOON = 1_772_452_800_000_000
VALUES = st.recursive(
    st.none() | st.integers(-(2**70), 2**70) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["at_us", "at", "window_us", "n"]), inner)
    ),
    max_leaves=12,
)


def test_a_time_stands_before_its_microseconds_as_text() -> None:
    value = {"closed_us": None, "changes": [{"at_us": NOON, "to": 4}], "metrics": ({"window_us": 30_000_000},)}
    told = {
        "closed": None,
        "closed_us": None,
        "changes": [{"at": "2026-03-02T12:00:00Z", "at_us": NOON, "to": 4}],
        "metrics": [{"window_us": 30_000_000}],
    }
    assert json.loads(structured(value, "json")) == told
    assert yaml.safe_load(structured(value, "yaml")) == told
    assert list(with_times(value)) == ["closed", "closed_us", "changes", "metrics"]


def test_a_name_that_is_taken_and_a_time_beyond_the_calendar_do_no_harm() -> None:
    assert with_times({"seen": 3, "seen_us": NOON}) == {"seen": 3, "seen_at": "2026-03-02T12:00:00Z", "seen_us": NOON}
    assert with_times({"at": 3, "at_at": 4, "at_us": NOON}) == {"at": 3, "at_at": 4, "at_us": NOON}
    assert with_times({"at_us": 2**63 - 1}) == {"at": None, "at_us": 2**63 - 1}
    assert with_times({"at_us": -(10**9) * 62_000_000})["at"] == "0005-04-19T09:46:40Z"


@given(value=VALUES)
def test_nothing_is_lost_and_every_text_is_its_time(value: object) -> None:
    def compare(before: object, after: object) -> None:
        if isinstance(before, dict):
            assert isinstance(after, dict)
            for name, field in before.items():
                compare(field, after[name])
            for name in after.keys() - before.keys():
                moment = before[f"{name.removesuffix('_at')}_us"]
                assert after[name] is None or micros(after[name]) == moment
        elif isinstance(before, list):
            assert isinstance(after, list)
            for one, other in zip(before, after, strict=True):
                compare(one, other)
        else:
            assert before == after

    compare(value, with_times(value))

"""Moments as users write them, and what they mean in a recording."""

import click
import pytest

from hpaaudit.api.times import micros, precise
from hpaaudit.cli.options import hpa_name, moment, setting

AFTERNOON = (micros("2026-03-02T13:50:00Z"), micros("2026-03-02T14:20:00Z"))
OVER_MIDNIGHT = (micros("2026-03-02T23:30:00Z"), micros("2026-03-03T01:00:00Z"))
THREE_DAYS = (micros("2026-03-02T10:00:00Z"), micros("2026-03-04T12:00:00Z"))


@pytest.mark.parametrize(
    ("written", "span", "means"),
    [
        ("2026-03-02T14:05:00Z", AFTERNOON, "2026-03-02T14:05:00Z"),
        ("2026-03-02T10:05:00.25-04:00", AFTERNOON, "2026-03-02T14:05:00.25Z"),
        ("2026-03-02 14:05:19", AFTERNOON, "2026-03-02T14:05:19Z"),
        ("2026-03-02T14:05", AFTERNOON, "2026-03-02T14:05:00Z"),
        ("2026-03-02", AFTERNOON, "2026-03-02T00:00:00Z"),
        ("14:05", AFTERNOON, "2026-03-02T14:05:00Z"),
        ("14:05:19Z", AFTERNOON, "2026-03-02T14:05:19Z"),
        ("14:05:19.5", AFTERNOON, "2026-03-02T14:05:19.5Z"),
        ("9:00", AFTERNOON, "2026-03-02T09:00:00Z"),
        ("23:45", OVER_MIDNIGHT, "2026-03-02T23:45:00Z"),
        ("00:15", OVER_MIDNIGHT, "2026-03-03T00:15:00Z"),
        ("11:00", THREE_DAYS, "2026-03-04T11:00:00Z"),
        ("13:00", THREE_DAYS, "2026-03-03T13:00:00Z"),
        ("-5m", AFTERNOON, "2026-03-02T14:15:00Z"),
        ("-1h30m", AFTERNOON, "2026-03-02T12:50:00Z"),
    ],
)
def test_a_moment_means_an_instant(written: str, span: tuple[int, int], means: str) -> None:
    assert precise(moment(written).at(*span)) == means  # type: ignore[arg-type]


@pytest.mark.parametrize("written", ["yesterday", "25:00", "14:60", "5m", "-5 minutes", "", "2026-13-01", "14", "-"])
def test_what_is_not_a_moment_is_refused(written: str) -> None:
    with pytest.raises(click.BadParameter, match="is not a time"):
        moment(written)


@pytest.mark.parametrize("written", ["web", "/web", "shop/", "a/b/c", ""])
def test_an_hpa_needs_its_namespace(written: str) -> None:
    with pytest.raises(click.BadParameter, match="NS/NAME"):
        hpa_name(written)


def test_a_setting_has_a_name_and_a_value() -> None:
    assert setting("tolerance=0.05") == ("tolerance", "0.05")
    assert setting("feature-gates=A=true,B=false") == ("feature-gates", "A=true,B=false")
    with pytest.raises(click.BadParameter, match="NAME=VALUE"):
        setting("tolerance")

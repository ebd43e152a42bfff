"""Quantities: text to int64 thousandths and back, overflow and rounding included, compared with apimachinery."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpaaudit.api import quantity
from hpaaudit.model.units import Milli

EXECUTED: list[tuple[str, str, int]] = [
    # text, canonical text, MilliValue
    ("0", "0", 0),
    ("1", "1", 1000),
    ("-1", "-1", -1000),
    ("+3", "3", 3000),
    ("000123", "123", 123000),
    ("1.", "1", 1000),
    (".5", "500m", 500),
    ("-.5", "-500m", -500),
    (".", "0", 0),
    ("-", "0", 0),
    ("+", "0", 0),
    ("0.1m", "100u", 1),
    ("0.5m", "500u", 1),
    ("1500u", "1500u", 2),
    ("2500u", "2500u", 3),
    ("-1500u", "-1500u", -2),
    ("100n", "100n", 1),
    ("1n", "1n", 1),
    ("-1n", "-1n", -1),
    ("1234567n", "1234567n", 2),
    ("1e-10", "1e-9", 1),
    ("0.000000001", "1n", 1),
    ("1e3", "1e3", 1000000),
    ("1E3", "1e3", 1000000),
    ("1e+3", "1e3", 1000000),
    ("1e-3", "1e-3", 1),
    ("1.5e3", "1500", 1500000),
    ("1e0", "1", 1000),
    ("12e6", "12e6", 12000000000),
    ("100m", "100m", 100),
    ("1500m", "1500m", 1500),
    ("999m", "999m", 999),
    ("1000m", "1", 1000),
    ("1k", "1k", 1000000),
    ("1.2345k", "1234500m", 1234500),
    ("0.1k", "100", 100000),
    ("1M", "1M", 1000000000),
    ("1G", "1G", 1000000000000),
    ("1T", "1T", 1000000000000000),
    ("1P", "1P", 1000000000000000000),
    ("1E", "1E", 0),
    ("10P", "10P", 0),
    ("2E", "2E", 0),
    ("9E", "9E", 0),
    ("10E", "10E", 0),
    ("1Ki", "1Ki", 1024000),
    ("0.5Ki", "512", 512000),
    ("0.1Ki", "102400m", 102400),
    ("1.5Ki", "1536", 1536000),
    ("1023Ki", "1023Ki", 1047552000),
    ("1024Ki", "1Mi", 1048576000),
    ("1Mi", "1Mi", 1048576000),
    ("1.5Gi", "1536Mi", 1610612736000),
    ("1Ti", "1Ti", 1099511627776000),
    ("1Ei", "1Ei", -9223372036854775808),
    ("7Ei", "7Ei", -9223372036854775808),
    ("8Ei", "9223372036854775807", -1000),
    ("16Ei", "9223372036854775807", -1000),
    ("1Pi", "1Pi", 1125899906842624000),
    ("0.3Gi", "322122547200m", 322122547200),
    ("1e1000", "10e999", 0),
    ("1e4294967296", "1", 1000),
    ("99999999999999999999", "99999999999999999999", 200376420520688664),
    ("-99999999999999999999", "-99999999999999999999", -7886392055513),
    ("9223372036854775807", "9223372036854775807", -1000),
    ("9223372036854775808", "9223372036854775808", 0),
    ("9223372036854775807m", "9223372036854775807m", 9223372036854775807),
    ("9223372036854775", "9223372036854775", 9223372036854775000),
    ("9223372036854776", "9223372036854776", -9223372036854775616),
    ("9223372036854775.807", "9223372036854775807m", 9223372036854775807),
    ("-1.00000000000000000005", "-1000000001n", -999),
    ("1.00000000000000000005", "1000000001n", 1001),
    ("1e17", "100e15", 0),
    ("1e18", "1e18", 0),
    ("1e19", "10e18", 0),
    ("12345678901234567890n", "12345678901234567890n", 12345678901235),
    ("0.0000000001", "1n", 1),
    ("-0.0000000001", "-1n", 1),
    ("-0.1m", "-100u", -1),
    ("-2500u", "-2500u", -3),
    ("-1.5Gi", "-1536Mi", -1610612736000),
    ("1024", "1024", 1024000),
    ("1025.5", "1025500m", 1025500),
    ("500000Ki", "500000Ki", 512000000000),
]

REFUSED = ["1K", "1mi", "1Kib", "1i", "1e", "1e3.5", "1 Ki", " 1", " ", "NaN", "abc", "1_000", "0x10", "--1", ""]


@pytest.mark.parametrize(("text", "canonical", "milli"), EXECUTED, ids=[repr(row[0]) for row in EXECUTED])
def test_a_quantity_has_upstreams_thousandths_and_equals_its_canonical_text(
    text: str, canonical: str, milli: int
) -> None:
    read = quantity.parse(text)
    assert (read.text, read.milli) == (text, milli)
    assert quantity.parse(canonical).nano == read.nano


@pytest.mark.parametrize("text", REFUSED, ids=repr)
def test_what_is_no_quantity_is_refused_by_its_text(text: str) -> None:
    with pytest.raises(ValueError, match="is not a quantity"):
        quantity.parse(text)


@pytest.mark.parametrize(
    ("value", "milli"),
    [(None, 0), (5, 5000), (0.5, 500), (-2, -2000), (1e-10, 1), (1e22, 0), (" 100m ", 100), ("1k", 1_000_000)],
)
def test_json_gives_a_text_a_bare_number_or_null(value: str | float | None, milli: int) -> None:
    assert quantity.parse_json(value).milli == milli


@pytest.mark.parametrize(
    ("milli", "text"),
    [
        (0, "0"),
        (1, "1m"),
        (1000, "1"),
        (1500, "1500m"),
        (1_000_000, "1k"),
        (1_234_500, "1234500m"),
        (31_667, "31667m"),
        (-2500, "-2500m"),
        (-(2**63), "-9223372036854775808m"),
        (2**63 - 1, "9223372036854775807m"),
        (1_433_600_000, "1433600"),
    ],
)
def test_the_controller_publishes_thousandths_canonically(milli: int, text: str) -> None:
    assert quantity.from_milli(Milli(milli)).text == text


@pytest.mark.parametrize(
    ("milli", "text"),
    [
        (1_433_600_000, "1400Ki"),
        (1024_000, "1Ki"),
        (1_048_576_000, "1Mi"),
        (1_073_741_824_000, "1Gi"),
        (1000, "1"),
        (1_433_600_001, "1433600001m"),
        (0, "0"),
    ],
)
def test_memory_is_published_in_powers_of_1024_where_it_is_a_multiple(milli: int, text: str) -> None:
    assert quantity.from_milli(Milli(milli), binary=True).text == text


@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(st.integers(-(10**17), 10**17), st.booleans())
def test_what_is_published_is_read_back(milli: int, binary: bool) -> None:
    parsed = quantity.from_milli(Milli(milli), binary=binary)
    assert quantity.parse(parsed.text).milli == milli
    assert quantity.parse(parsed.text).nano == parsed.nano


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0.1", 0.1),
        ("100m", 100 * 0.001),
        ("9m", 0.009000000000000001),
        ("50m", 0.05),
        ("0", 0.0),
        ("2", 2.0),
        ("-5m", -0.005),
        ("1k", 1000.0),
        ("1Ki", 1024.0),
        ("2500u", 2500 * 1e-06),
    ],
)
def test_a_quantity_as_a_double_is_a_mantissa_times_a_power(text: str, number: float) -> None:
    assert quantity.approximate_float(quantity.parse(text)) == number


@given(st.from_regex(r"[0-9]{1,11}(n|Ki)", fullmatch=True))
def test_a_plain_quantity_is_what_every_quantity_is(text: str) -> None:
    assert quantity.plain_milli(text) == quantity.parse(text).milli


@pytest.mark.parametrize(
    "text", ["", "n", "Ki", "-1n", "+1Ki", "1.5n", "1m", "12", "1k", "123456789012n", "²n", "\u0661Ki", " 1n"]
)
def test_what_is_not_plain_is_left_to_the_grammar(text: str) -> None:
    assert quantity.plain_milli(text) is None

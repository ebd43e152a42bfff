"""A share in percent never reaches 100 while something is missing, nor 0 while something is there."""

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpaaudit.model.counted import percent_of
from hpaaudit.results import sql


@pytest.fixture(scope="module")
def in_sql() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute(sql.folder("macros")["percent_of"])
    return connection


SHARES = st.integers(1, 10**9).flatmap(lambda whole: st.tuples(st.integers(0, whole), st.just(whole)))
NEARLY = st.integers(2, 10**9).flatmap(lambda whole: st.sampled_from([(whole - 1, whole), (1, whole)]))


@given(shares=SHARES | NEARLY)
def test_only_all_of_them_is_100_and_only_none_is_0(in_sql: duckdb.DuckDBPyConnection, shares: tuple[int, int]) -> None:
    part, whole = shares
    told = percent_of(part, whole)
    assert (told == "100.0 %") == (part == whole)
    assert (told == "0.0 %") == (part == 0)
    assert abs(float(told.removesuffix(" %")) - 100 * part / whole) <= 0.1 + 1e-9
    assert in_sql.execute("select percent_of($part, $whole)", {"part": part, "whole": whole}).fetchone() == (
        float(told.removesuffix(" %")),
    )


def test_of_nothing_there_is_no_share(in_sql: duckdb.DuckDBPyConnection) -> None:
    assert in_sql.execute("select percent_of(0, 0)").fetchone() == (None,)

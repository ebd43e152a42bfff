"""The columns that a fleet reads exist in the format; a slice that lacks one of them is refused at once."""

from typing import get_type_hints

import numpy as np
import pytest

from hpaaudit.engine.fleet.input.tables import COLUMNS, Tables, tables_of
from hpaaudit.model.fleet_columns import Columns, Numbers, Slice, Words
from hpaaudit.recording.format.schema import TABLES


def test_every_column_that_is_asked_for_is_one_of_the_format_and_of_its_kind() -> None:
    for table, optional in get_type_hints(Tables).items():
        declared = get_type_hints(optional.__args__[0])
        of_format = {column.name: Words if column.type == "string" else Numbers for column in TABLES[table].columns}
        assert COLUMNS[table] == tuple(declared)
        assert declared.items() <= of_format.items()


def _slice(table: str, columns: Columns) -> Slice:
    return Slice(number=1, first_seq=0, facts=0, first_us=0, last_us=0, tables={table: columns})


def _empty(table: str) -> dict[str, Numbers | Words]:
    return {
        column.name: Words(np.empty(0, np.int32), ()) if column.type == "string" else Numbers(np.empty(0, np.int64))
        for column in TABLES[table].columns
    }


@pytest.mark.parametrize("table", COLUMNS)
def test_a_slice_that_lacks_a_column_is_refused_before_anything_is_decided(table: str) -> None:
    assert getattr(tables_of(_slice(table, _empty(table))), table) is not None
    for name in COLUMNS[table]:
        columns = _empty(table)
        del columns[name]
        with pytest.raises(KeyError):
            tables_of(_slice(table, columns))

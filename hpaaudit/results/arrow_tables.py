"""Converts columns of the model to Arrow tables, without a copy where possible."""

import pyarrow as pa

from hpaaudit.model.fleet_columns import Columns, Numbers, Words


def to_arrow(columns: Columns) -> pa.Table:
    """An Arrow table of these columns. Texts become dictionary arrays."""
    return pa.table({name: _array(column) for name, column in columns.items()})


def _array(column: Numbers | Words) -> pa.Array:
    if isinstance(column, Words):
        indices = pa.array(column.codes, mask=column.codes < 0)
        return pa.DictionaryArray.from_arrays(indices, pa.array(column.words, pa.string()))
    return pa.array(column.values, mask=column.missing)

"""Columns of the model as Arrow tables, without a copy where that can be."""

import pyarrow as pa

from hpaaudit.model.columns import Columns, Numbers, Words


def to_arrow(columns: Columns) -> pa.Table:
    """A column each: numbers and truths as they are, texts by their place among their words."""
    return pa.table({name: _array(column) for name, column in columns.items()})


def _array(column: Numbers | Words) -> pa.Array:
    if isinstance(column, Words):
        places = pa.array(column.codes, mask=column.codes < 0)
        return pa.DictionaryArray.from_arrays(places, pa.array(column.words, pa.string()))
    return pa.array(column.values, mask=column.missing)

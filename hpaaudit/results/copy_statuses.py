"""Copies the published statuses of a whole fleet into the results by SQL, instead of decoding each in Python."""

from collections.abc import Sequence

import duckdb
import pyarrow as pa

from hpaaudit.api.quantity import parse
from hpaaudit.model.units import Micros
from hpaaudit.results import sql
from hpaaudit.results.recorded_streams import Recorded, registered, stream

TABLE = "hpas"
QUANTITIES = "35_quantities"
"""The query that lists the quantities in the statuses. Python parses them, because SQL cannot."""


def copy_statuses(
    connection: duckdb.DuckDBPyConnection, recorded: Recorded, until_us: Micros, repeated: Sequence[int]
) -> None:
    """Runs the queries of `sql/statuses/` over the recorded HPAs, whose statuses are each one JSON document.

    until_us   no later fact is copied
    repeated   the sequence numbers of facts that show the same status as the one before

    Raises the damage of the recording.
    """
    texts = sql.folder("statuses")
    first_query = next(iter(texts.values()))
    connection.register("repeated", pa.table({"seq": pa.array(repeated, pa.int64())}))
    hpas = stream(recorded, TABLE, sql.recorded_tables_of(first_query)[TABLE])
    with registered(connection, {"recorded_hpas": hpas}):
        for name, text in texts.items():
            if name == QUANTITIES:
                quantities = [row[0] for row in connection.execute(text).fetchall()]
                milli = pa.array((parse(quantity).milli for quantity in quantities), pa.int64())
                connection.register("quantities", pa.table({"text": pa.array(quantities, pa.string()), "milli": milli}))
            else:
                connection.execute(sql.with_sources(text, {TABLE: f"recorded_hpas where at_us <= {until_us}"}))
    for name in ("repeated", "quantities"):
        connection.unregister(name)

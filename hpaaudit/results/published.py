"""Copies what HPAs published out of a recording's own files, where it is too much to be decoded one by one."""

from collections.abc import Mapping, Sequence

import duckdb
import pyarrow as pa

from hpaaudit.api.quantity import parse
from hpaaudit.model.units import Micros
from hpaaudit.results import sql
from hpaaudit.results.seen import reader

TABLE = "hpas"
QUANTITIES = "35_quantities"


def copy(
    connection: duckdb.DuckDBPyConnection,
    tables: Mapping[str, str],
    held: Mapping[str, pa.Table],
    until_us: Micros,
    repeated: Sequence[int],
) -> None:
    """Asks the questions of `sql/published/` of the recorded HPAs, all served as `autoscaling/v2`.

    tables, held, until_us   as in `seen.copy`
    repeated                 facts that show the status once more that stood before
    """
    texts = sql.folder("published")
    first = next(iter(texts.values()))
    rows = reader(tables[TABLE], sql.asked(first)[TABLE], held.get(TABLE)) if TABLE in tables else None
    if rows is None:
        return
    connection.register("recorded_hpas", rows)
    connection.register("repeated", pa.table({"seq": pa.array(repeated, pa.int64())}))
    for name, text in texts.items():
        if name == QUANTITIES:
            found = [row[0] for row in connection.execute(text).fetchall()]
            milli = pa.array((parse(one).milli for one in found), pa.int64())
            connection.register("quantities", pa.table({"text": pa.array(found, pa.string()), "milli": milli}))
        else:
            connection.execute(sql.over({TABLE: f"recorded_hpas where at_us <= {until_us}"}, text))
    for name in ("recorded_hpas", "repeated", "quantities"):
        connection.unregister(name)

"""Copies the published statuses of a fleet from a recording to the results by SQL, not one by one."""

from collections.abc import Sequence

import duckdb
import pyarrow as pa

from hpaaudit.api.quantity import parse
from hpaaudit.model.units import Micros
from hpaaudit.results import sql
from hpaaudit.results.recorded import Recorded, registered, stream

TABLE = "hpas"
QUANTITIES = "35_quantities"


def copy(connection: duckdb.DuckDBPyConnection, recorded: Recorded, until_us: Micros, repeated: Sequence[int]) -> None:
    """Asks the questions of `sql/published/` of the recorded HPAs, all served as `autoscaling/v2`.

    until_us   no later fact is seen
    repeated   facts that show the status once more that stood before

    Raises what damage there is.
    """
    texts = sql.folder("published")
    first = next(iter(texts.values()))
    connection.register("repeated", pa.table({"seq": pa.array(repeated, pa.int64())}))
    with registered(connection, {"recorded_hpas": stream(recorded, TABLE, sql.asked(first)[TABLE])}):
        for name, text in texts.items():
            if name == QUANTITIES:
                found = [row[0] for row in connection.execute(text).fetchall()]
                milli = pa.array((parse(one).milli for one in found), pa.int64())
                connection.register("quantities", pa.table({"text": pa.array(found, pa.string()), "milli": milli}))
            else:
                connection.execute(sql.over({TABLE: f"recorded_hpas where at_us <= {until_us}"}, text))
    for name in ("repeated", "quantities"):
        connection.unregister(name)

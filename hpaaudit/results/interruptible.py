"""Runs SQL so that Ctrl-C ends it at once."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import TypeVar

import duckdb

Result = TypeVar("Result")

ASK_AGAIN_SECONDS = 0.05
"""An interruption is asked for so often until the work ends: one that comes between two statements is lost."""


def interruptible(connection: duckdb.DuckDBPyConnection, work: Callable[[], Result]) -> Result:
    """The result of `work`, which uses the connection. Ctrl-C ends it and raises KeyboardInterrupt.

    Python handles a signal in the main thread only, between two of its own instructions. DuckDB does not return to
    Python before it is done. So it works in another thread, and the main thread waits.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    with ThreadPoolExecutor(1, "sql") as thread:
        working = thread.submit(work)
        try:
            return working.result()
        except KeyboardInterrupt:
            _interrupt(connection, working)
            raise


def _interrupt(connection: duckdb.DuckDBPyConnection, working: Future[Result]) -> None:
    while not working.done():
        connection.interrupt()
        wait([working], timeout=ASK_AGAIN_SECONDS)


def is_interruption(error: BaseException | None) -> bool:
    """True if DuckDB noticed Ctrl-C itself, during a statement that ran in the main thread."""
    return isinstance(error, RuntimeError) and str(error) == "Query interrupted"

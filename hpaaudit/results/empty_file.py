"""The results file without a row: schemas, tables, views, macros and comments, made once and then copied.

To create some 80 relations and to describe 500 columns takes longer than the audit of a small recording. So the empty
file is kept in memory, and in a cache folder for later processes. What lies there is used only if this user wrote it,
nobody else can write to it, it is whole, and it was made by the same SQL, hpaaudit and DuckDB.
"""

import hashlib
import os
import stat
import tempfile
from contextlib import suppress
from functools import lru_cache
from inspect import getsource
from pathlib import Path
from sys import modules

import duckdb

from hpaaudit.results import comments as comments_module
from hpaaudit.results import encoded, sql
from hpaaudit.results.comments import comments
from hpaaudit.version import VERSION

STORAGE_VERSION = "v1.4.0"  # what DuckDB 1.4 and newer can open
NAME = "empty-results"
"""The name of the file in the cache folder: a hash of what it was made by, a hash of the database, the database."""
_FOLDERS = ("macros", "schema", "views")
_HASH_BYTES = hashlib.sha256().digest_size
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


@lru_cache(maxsize=4)
def empty_file(cache: Path | None = None) -> bytes:
    """The content of a results file without a row.

    cache   a folder in which it is kept for later processes; None, or a folder that cannot be used: it is made anew
    """
    if cache is None:
        return _made()
    path = cache / NAME
    with suppress(OSError):
        made_by = _made_by()
        with suppress(OSError):
            database = _kept(path, made_by)
            if database is not None:
                return database
        _keep(path, made_by, _made())
    return _made()


@lru_cache(maxsize=1)
def _made() -> bytes:
    """The content of a new results file, by its SQL."""
    with tempfile.TemporaryDirectory(prefix="hpaaudit-") as folder:
        path = Path(folder) / "empty.duckdb"
        with duckdb.connect() as connection:
            ask = connection.execute
            quoted = str(path).replace("'", "''")
            ask(f"attach '{quoted}' as results (storage_version '{STORAGE_VERSION}')")
            ask("use results")
            ask("begin")
            _create(connection)
            ask("commit")
            ask("use memory")
            ask("detach results")
        return path.read_bytes()


def _create(connection: duckdb.DuckDBPyConnection) -> None:
    """Creates every relation of a results file but those that read the recording's own files."""
    ask = connection.execute
    ask("create schema runs")
    for text in sql.folder("macros").values():
        ask(text)
    for table, text in sql.folder("schema").items():
        if table not in encoded.ENCODED:
            ask(text)
    for text in encoded.creation():
        ask(text)
    views = dict(sql.folder("views"))
    ask(views.pop("current_replay"))
    for table in sql.folder("schema"):
        ask(
            f"create view main.{table} as from runs.{table} "  # noqa: S608 our own table's name
            "where replay_id = (select replay_id from main.current_replay)"
        )
    for text in views.values():
        ask(text)
    ask(";".join(comments(connection, ("schema", "views"))))


def _made_by() -> bytes:
    """A hash of everything that the content depends on: the SQL, the code that runs it, and the versions."""
    sources = [getsource(module) for module in (modules[__name__], comments_module, encoded)]
    texts = [text for folder in _FOLDERS for item in sql.folder(folder).items() for text in item]
    parts = [VERSION, duckdb.__version__, STORAGE_VERSION, *sources, *texts]
    return hashlib.sha256("\0".join(parts).encode()).digest()


def _kept(path: Path, made_by: bytes) -> bytes | None:
    """What an earlier process kept; None if it is not to be used. Raises OSError."""
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC), "rb") as file:
        status = os.fstat(file.fileno())
        is_own = stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid()
        if not is_own or status.st_mode & _OTHERS_WRITE:
            return None
        head, digest, database = file.read(_HASH_BYTES), file.read(_HASH_BYTES), file.read()
    return database if head == made_by and digest == hashlib.sha256(database).digest() else None


def _keep(path: Path, made_by: bytes, database: bytes) -> None:
    """Keeps the content for later processes. Of several that do so at once the last one wins. Raises OSError."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f"{NAME}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(made_by + hashlib.sha256(database).digest() + database)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise

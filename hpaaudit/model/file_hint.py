"""Recognizes a file that is neither a recording nor results, and names the command that reads it."""

import shlex

HEAD_BYTES = 16
"""So many first bytes of a file tell what it is."""

_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_DUCKDB, _DUCKDB_AT = b"DUCK", 8


def file_hint(path: str, head: bytes) -> str:
    """The command that reads such a file, for the end of an error message; empty for an unknown kind of file.

    head   its first bytes
    """
    name = shlex.quote(path)
    if head[_DUCKDB_AT:].startswith(_DUCKDB):
        return f"it may be a results file: `hpaaudit query {name} what_happened`"
    if head.startswith((_GZIP, _ZSTD)) or head.lstrip().startswith(b"{"):
        into = shlex.quote(path.rsplit("/", 1)[-1].split(".", maxsplit=1)[0] or "recording")
        return f"if it is a capture, make a recording of it first: `hpaaudit import capture {name} --into {into}`"
    return ""

"""Remembers which segments of a recording are in an object store, each as a line of the file `uploaded`."""

import json
import os
from pathlib import Path

from hpaaudit.recording.durable import sync_folder

UPLOADED = "uploaded"


def uploaded(folder: Path) -> frozenset[int]:
    """The numbers of the segments that are uploaded; a line that a crash tore was never said."""
    try:
        lines = (folder / UPLOADED).read_bytes().split(b"\n")
    except FileNotFoundError:
        return frozenset()
    return frozenset(json.loads(line)["segment"] for line in lines[:-1] if line.endswith(b"}"))


def mark_uploaded(folder: Path, number: int) -> None:
    """Say that a segment is uploaded: on the disk when this returns. Raises `OSError`."""
    path = folder / UPLOADED
    new = not path.exists()
    with path.open("a+b") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - 1))
        torn = file.read(1) not in (b"", b"\n")
        file.write((b"\n" if torn else b"") + json.dumps({"segment": number}).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())
    if new:
        sync_folder(folder)

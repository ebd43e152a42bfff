"""Replays the facts that a view shows of a world."""

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hpaaudit.flows.replay import replay
from hpaaudit.model.facts import Fact
from hpaaudit.results.read import Results
from tests.fleet.chance import write

IN_MEMORY = next((folder for folder in ("/dev/shm",) if os.access(folder, os.W_OK)), None)  # noqa: S108 (beneath it only)
"""Where a file that is synced waits for no disk; None: nowhere here."""


@contextmanager
def replayed(facts: Iterable[Fact], **options: Any) -> Iterator[Results]:
    """Results of a recording with these facts; `options` as `hpaaudit.replay` takes them."""
    shown = list(facts)
    with tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder:
        write(Path(folder) / "recording", shown, len(shown) + 1)
        with replay(Path(folder) / "recording", **{"detail": "numbers", **options}) as results:
            yield results

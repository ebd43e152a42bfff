"""What is kept from one run of `make mutants` to the next, in ~/.cache/hpaaudit-mutants."""

import json
import os
import pickle
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
_KILLERS = "killers.json"


def folder() -> Path:
    """The folder of what is kept; $HPAAUDIT_MUTANTS_CACHE names another."""
    named = os.environ.get("HPAAUDIT_MUTANTS_CACHE", "")
    chosen = Path(named) if named else Path.home() / ".cache" / "hpaaudit-mutants"
    chosen.mkdir(parents=True, exist_ok=True)
    return chosen


def key_of(files: Iterable[Path], more: object = None) -> str:
    """A digest of files and of what else a result depends on."""
    digest = sha256(repr(more).encode())
    for file in sorted(files):
        digest.update(str(file.relative_to(ROOT)).encode() + b"\0" + sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:24]


def read(name: str, key: str) -> Any:
    """What was kept under a name with this key, None if it is another or nothing."""
    path = folder() / f"{name}-{key}.pickle"
    return pickle.loads(path.read_bytes()) if path.exists() else None  # noqa: S301 (our own)


def keep(name: str, key: str, made: object) -> None:
    """Keeps the newest under a name."""
    for old in folder().glob(f"{name}-{'?' * 24}.pickle"):
        old.unlink(missing_ok=True)
    written = folder() / f"{name}.{os.getpid()}"
    written.write_bytes(pickle.dumps(made))
    written.replace(folder() / f"{name}-{key}.pickle")


def killers() -> dict[str, str]:
    """What noticed each mutant when it was last asked, by the mutant's name; a hint what to ask first, no more."""
    path = folder() / _KILLERS
    known: dict[str, str] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return known


def keep_killers(noticed: dict[str, str]) -> None:
    """Keeps what noticed these mutants, beside what is known of others."""
    written = folder() / f"{_KILLERS}.{os.getpid()}"
    written.write_text(json.dumps({**killers(), **noticed}, indent=0, sort_keys=True), encoding="utf-8")
    written.replace(folder() / _KILLERS)

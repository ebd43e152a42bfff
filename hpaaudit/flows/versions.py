"""Says which versions this hpaaudit consists of, and which ones it knows."""

from importlib.metadata import PackageNotFoundError, version

from hpaaudit.flows import fleet
from hpaaudit.model.versions import Versions
from hpaaudit.version import VERSION

LIBRARIES = ("duckdb", "pyarrow", "polars", "numba")


def versions() -> Versions:
    """The versions of this hpaaudit, of the format that it writes, of Kubernetes that it replays, and of libraries."""
    from hpaaudit.engine.behaviours.release import KNOWN
    from hpaaudit.recording.format.schema import FORMAT_VERSION

    return Versions(
        hpaaudit=VERSION,
        recording_format=FORMAT_VERSION,
        oldest_release=KNOWN[0],
        newest_release=KNOWN[-1],
        is_compiled=fleet.installed(),
        libraries=tuple((name, _installed(name)) for name in LIBRARIES),
    )


def _installed(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return "not installed"

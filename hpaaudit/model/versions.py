"""The versions that an installed hpaaudit consists of and knows."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Versions:
    """An installation.

    recording_format                 the version of the format that `record` writes
    oldest_release, newest_release   of Kubernetes, that `replay` knows
    is_compiled                      the rules are compiled for fleets
    libraries                        name and version, or `not installed`
    """

    hpaaudit: str
    recording_format: int
    oldest_release: str
    newest_release: str
    is_compiled: bool
    libraries: tuple[tuple[str, str], ...]

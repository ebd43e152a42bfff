"""Words the versions of an installation."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from hpaaudit.model.versions import Versions


def versions_text(versions: Versions) -> str:
    """A line for each version."""
    rows = [
        ("hpaaudit", versions.hpaaudit),
        ("recording format", str(versions.recording_format)),
        ("Kubernetes", f"{versions.oldest_release} to {versions.newest_release}"),
        ("compiled rules", "installed" if versions.is_compiled else "not installed: pip install '.[fast]'"),
        *versions.libraries,
    ]
    width = max(len(name) for name, _ in rows)
    return "".join(f"{name.ljust(width)}  {value}\n" for name, value in rows)


def versions_fields(versions: Versions) -> Mapping[str, Any]:
    """The same for programs."""
    return asdict(versions) | {"libraries": dict(versions.libraries)}

"""A flight recorder and a replay for the Kubernetes HorizontalPodAutoscaler.

Each command of `hpaaudit` is one flow, importable here under its name; rooms are loaded when it is called:

    record(into, …)                cluster to recording
    import_capture(files, into=…)  kept answers of the Kubernetes API to recording
    replay(recording, into=…)      recording to results: every reconcile decided again, beside what happened
    explain(results, …)            one reconcile, step by step
    query(results, …)              a question of sql/questions, or SQL
    inspect(recording), verify(recording), repair(recording)
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_FLOWS = {
    "record": "record",
    "import_capture": "importing",
    "replay": "replay",
    "explain": "explain",
    "query": "query",
    "inspect": "inspect",
    "verify": "verify",
    "repair": "repair",
}

__all__ = ["__version__", *_FLOWS]  # noqa: PLE0604 (names of flows)


def __getattr__(name: str) -> Any:
    """A flow, imported when it is first asked for: `record` must not load what only `replay` needs."""
    if name not in _FLOWS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"hpaaudit.flows.{_FLOWS[name]}"), name)

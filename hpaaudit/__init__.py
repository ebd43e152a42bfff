"""A flight recorder and a replay for the Kubernetes HorizontalPodAutoscaler.

Each command of `hpaaudit` is a function here, under its name. Its code is loaded when it is first called.

    record(into, …)                records a cluster into a folder
    import_capture(files, into=…)  turns kept answers of the Kubernetes API into a recording
    replay(recording, into=…)      decides every reconcile again and compares it with what happened: `Results`
    explain(results, …)            tells one reconcile step by step: `ReconcileAccount`
    query(results, …)              answers a question of sql/questions, or SQL: `Answer`
    inspect(recording)             says what is in a recording: `Inspection`
    verify(recording)              checks every checksum of a recording: `Verification`

Everything that they raise on purpose is an `AuditError`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hpaaudit.errors import AuditError
    from hpaaudit.flows.explain import explain
    from hpaaudit.flows.importing import import_capture
    from hpaaudit.flows.inspect import inspect
    from hpaaudit.flows.query import query
    from hpaaudit.flows.record import record
    from hpaaudit.flows.replay import replay
    from hpaaudit.flows.verify import verify
    from hpaaudit.model.account import ReconcileAccount
    from hpaaudit.model.inspection import Inspection, Verification
    from hpaaudit.results.answer import Answer
    from hpaaudit.results.read import Results

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "AuditError",
    "Inspection",
    "ReconcileAccount",
    "Results",
    "Verification",
    "__version__",
    "explain",
    "import_capture",
    "inspect",
    "query",
    "record",
    "replay",
    "verify",
]

_HOMES = {
    "Answer": "results.answer",
    "AuditError": "errors",
    "Inspection": "model.inspection",
    "ReconcileAccount": "model.account",
    "Results": "results.read",
    "Verification": "model.inspection",
    "explain": "flows.explain",
    "import_capture": "flows.importing",
    "inspect": "flows.inspect",
    "query": "flows.query",
    "record": "flows.record",
    "replay": "flows.replay",
    "verify": "flows.verify",
}


def __getattr__(name: str) -> Any:
    """Imports a name when it is first asked for: `record` must not load what only `replay` needs."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"hpaaudit.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    """The public names."""
    return __all__

"""A flight recorder and a replay for the Kubernetes HorizontalPodAutoscaler.

Each command of `hpaaudit` is a function of the same name here. Its code is loaded when it is first called.

    record(into, …)                records a cluster into a folder
    open(folder)                   opens a recording: `Recording`
    open_results(source)           opens results, or replays a recording first: `Results`
    import_capture(files, into=…)  turns saved answers of the Kubernetes API into a recording
    replay(recording, into=…)      decides every reconcile again and compares it with what happened: `Results`
    explain(results, …)            explains one reconcile step by step: `ReconcileAccount`
    timeline(results, …)           reads one HPA over time: replicas, metrics, pods, marks: `Timeline`
    query(results, …)              answers a question of sql/questions, or SQL: `Answer`
    questions()                    gives the questions that `query` knows by name: `Question`
    inspect(recording)             says what is in a recording: `Inspection`
    verify(recording)              checks every checksum of a recording: `Verification`
    repair(recording)              keeps what can be read of a damaged recording: `Repair`
    report(results)                reads what a report shows: `Report`
    convert(file, to=…)            converts HPAs to another API version: `Conversion`
    releases(between=…)            says what each Kubernetes release changed: `Releases`

A recording or results are taken as a path, or as what a function returned. Every error that is raised deliberately is
an `AuditError`; its text names parameters of the function.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from hpaaudit.version import VERSION

if TYPE_CHECKING:
    from hpaaudit.errors import AuditError
    from hpaaudit.flows.convert import convert
    from hpaaudit.flows.explain import explain
    from hpaaudit.flows.importing import import_capture
    from hpaaudit.flows.inspect import inspect
    from hpaaudit.flows.paths import open_recording
    from hpaaudit.flows.paths import open_recording as open  # noqa: A004 hpaaudit.open is how it reads
    from hpaaudit.flows.query import named_questions as questions
    from hpaaudit.flows.query import query
    from hpaaudit.flows.record import record
    from hpaaudit.flows.releases import releases
    from hpaaudit.flows.repair import repair
    from hpaaudit.flows.replay import replay
    from hpaaudit.flows.report import report
    from hpaaudit.flows.source import open_source as open_results
    from hpaaudit.flows.timeline import timeline
    from hpaaudit.flows.verify import verify
    from hpaaudit.model.account import ReconcileAccount
    from hpaaudit.model.conversion import Conversion
    from hpaaudit.model.history import Releases
    from hpaaudit.model.inspection import Inspection, Repair, Verification
    from hpaaudit.model.landmark import Landmark
    from hpaaudit.model.report import Report
    from hpaaudit.model.timeline import Timeline
    from hpaaudit.recording.reading.recording import Recording
    from hpaaudit.results.answer import Answer
    from hpaaudit.results.read import Results

__version__ = VERSION

__all__ = [
    "Answer",
    "AuditError",
    "Conversion",
    "Inspection",
    "Landmark",
    "ReconcileAccount",
    "Recording",
    "Releases",
    "Repair",
    "Report",
    "Results",
    "Timeline",
    "Verification",
    "__version__",
    "convert",
    "explain",
    "import_capture",
    "inspect",
    "open",
    "open_recording",
    "open_results",
    "query",
    "questions",
    "record",
    "releases",
    "repair",
    "replay",
    "report",
    "timeline",
    "verify",
]

# The module of each public name.
_MODULES = {
    "Answer": "results.answer",
    "AuditError": "errors",
    "Conversion": "model.conversion",
    "Inspection": "model.inspection",
    "Landmark": "model.landmark",
    "ReconcileAccount": "model.account",
    "Recording": "recording.reading.recording",
    "Releases": "model.history",
    "Repair": "model.inspection",
    "Report": "model.report",
    "Results": "results.read",
    "Timeline": "model.timeline",
    "Verification": "model.inspection",
    "convert": "flows.convert",
    "explain": "flows.explain",
    "import_capture": "flows.importing",
    "inspect": "flows.inspect",
    "open": "flows.paths",
    "open_recording": "flows.paths",
    "open_results": "flows.source",
    "query": "flows.query",
    "questions": "flows.query",
    "record": "flows.record",
    "releases": "flows.releases",
    "repair": "flows.repair",
    "replay": "flows.replay",
    "report": "flows.report",
    "timeline": "flows.timeline",
    "verify": "flows.verify",
}


_OTHER_NAMES = {"open": "open_recording", "open_results": "open_source", "questions": "named_questions"}
"""Public names that their module knows by another one."""


def __getattr__(name: str) -> Any:
    """Imports a public name when it is first used: `record` must not load what only `replay` needs."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"hpaaudit.{_MODULES[name]}"), _OTHER_NAMES.get(name, name))
    if isinstance(value, type):
        return value
    from hpaaudit.flows.python_errors import speaking_python

    return speaking_python(value)


def __dir__() -> list[str]:
    """The public names."""
    return __all__

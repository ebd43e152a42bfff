"""Every error that we raise, grouped by its cause. Each message says what, where and what next."""


class AuditError(Exception):
    """Something stops us; its text is one clear line for the user."""


class ClusterError(AuditError):
    """The cluster, or the way to it."""


class Unreachable(ClusterError):
    """No answer from the API server, or no way to it (kubeconfig, context)."""


class Forbidden(ClusterError):
    """401 or 403: names verb and resource."""


class NotServed(ClusterError):
    """An API group that the server does not serve."""


class RecordingError(AuditError):
    """A recording, or what should become one."""


class NotARecording(RecordingError):
    """The folder holds no recording."""


class NewerFormat(RecordingError):
    """Written by a newer hpaaudit than this one."""


class DamagedRecording(RecordingError):
    """A file differs from what its manifest says."""


class BadObject(AuditError):
    """An object of Kubernetes in a file that cannot be read, or that no API server accepts."""


class BadFact(RecordingError):
    """Something was seen that no recording can hold: a predicate that names its table and column."""


class BadCapture(RecordingError):
    """A line of a capture that cannot be read: file and line."""


class ReplayError(AuditError):
    """A replay that cannot be made."""


class UnknownRelease(ReplayError):
    """A Kubernetes release that the engine does not know."""


class UnknownHpa(ReplayError):
    """No such HPA in the recording; names the nearest."""


class ResultsError(AuditError):
    """A results file, or a question to it."""


class NotResults(ResultsError):
    """The file does not hold the results of a replay."""


class FileExists(ResultsError):
    """An output file is there already and may not be replaced."""


class NotWritable(ResultsError):
    """An output file that cannot be written."""


class UnknownQuestion(ResultsError):
    """No question of that name; names the nearest."""


class BadQuery(ResultsError):
    """SQL that DuckDB refuses."""


class BadOption(AuditError):
    """An option whose value cannot be read."""

"""Says what each Kubernetes release changed in the HPA."""

from hpaaudit.model.history import Releases


def releases(between: tuple[str, str] | None = None) -> Releases:
    """Every change from 1.1 on with what is planned, or what differs between two releases, in any order.

    Raises UnknownRelease.
    """
    from hpaaudit.engine.behaviours import release_history

    return release_history.history() if between is None else release_history.between(*between)

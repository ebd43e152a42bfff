"""Explains one reconcile; steps that were not kept are computed again from the recording."""

from collections import Counter
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from hpaaudit.api.times import duration
from hpaaudit.errors import RecordingError
from hpaaudit.flows.again import decision_at
from hpaaudit.flows.query import open_source
from hpaaudit.flows.replay import passes
from hpaaudit.model.account import PodLine, ReconcileAccount, StepLine
from hpaaudit.model.decision import Decision
from hpaaudit.model.units import Micros

if TYPE_CHECKING:
    from hpaaudit.results.read import Results


def explain(source: Path, hpa: str | None = None, *, at: Micros | None = None) -> ReconcileAccount:
    """Tells the last reconcile of an HPA until then.

    source   a results file or a recording
    hpa      `namespace/name`; None: the one that matters most
    at       None: the moment that matters most

    Raises NotResults, UnknownHpa and what `replay` raises.
    """
    from hpaaudit.results.account_reconcile import interesting, reconcile_account

    with open_source(source) as results:
        chosen, moment = interesting(results, hpa)
        account = reconcile_account(results, chosen, moment if at is None else at)
        return account if account.steps else _with_steps(account, results, source)


def _with_steps(account: ReconcileAccount, results: "Results", source: Path) -> ReconcileAccount:
    """The same account with the steps and pods of a second replay; as it was where the recording is gone."""
    recording = _recording(account, results, source)
    if recording is None:
        return account
    known = {one.key: one for one in results.assumptions}
    settings = {key: one.value for key, one in known.items() if one.source == "user"}
    switched = {key: settings.pop(key) == "on" for key in [*settings] if settings[key] in ("on", "off")}
    release = settings.pop("release", None)
    if results.detail == "numbers":
        found = decision_at(
            recording,
            f"{account.namespace}/{account.name}",
            account.at_us,
            release=release,
            flags=settings,
            behaviours=switched,
            api_server=known["api-server"].value,
            period_us=duration(known["sync-period"].value),
        )
    else:
        again = passes(recording, release=release, flags=settings, behaviours=switched)
        found = next((done.decision for done in again if done.reconcile_id == account.reconcile_id), None)
    if found is None:
        return account
    return replace(account, steps=_step_lines(found), pods=_pod_lines(found))


def _recording(account: ReconcileAccount, results: "Results", source: Path) -> Path | None:
    """The very recording that was replayed, where it still is: the source, by its name, or beside the results."""
    from hpaaudit.recording.read import open_recording

    beside = results.path.parent
    for place in (source, Path(account.recording), beside, beside / account.recording):
        if place.is_dir():
            with suppress(RecordingError):
                if open_recording(place).info.manifest_sha256 == results.manifest_sha256:
                    return place
    return None


def _step_lines(decision: Decision) -> tuple[StepLine, ...]:
    return tuple(
        StepLine(
            stage=step.stage,
            code=step.code,
            before=step.before,
            after=step.after,
            binding=step.binding,
            detail=step.detail,
        )
        for step in decision.steps
    )


def _pod_lines(decision: Decision) -> tuple[PodLine, ...]:
    counts = Counter(
        (proposal.metric_idx, pod.bucket, pod.why_code) for proposal in decision.proposals for pod in proposal.pods
    )
    return tuple(
        PodLine(metric_idx=index, bucket=bucket, why_code=why, pods=pods)
        for (index, bucket, why), pods in sorted(counts.items())
    )

"""Explains one reconcile; steps that were not kept are computed again from the recording."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from hpaaudit.api.times import duration
from hpaaudit.errors import NotResults
from hpaaudit.flows.again import decision_at
from hpaaudit.flows.replay import passes, unheard
from hpaaudit.flows.source import open_source, recording_of
from hpaaudit.model.account import PodLine, ReconcileAccount, StepLine
from hpaaudit.model.decision import Decision
from hpaaudit.model.units import Micros

if TYPE_CHECKING:
    from hpaaudit.results.read import Results


def explain(
    source: Path, hpa: str | None = None, *, at: Micros | None = None, warn: Callable[[str], None] = unheard
) -> ReconcileAccount:
    """Tells the last reconcile of an HPA until then.

    source   a results file or a recording
    hpa      `namespace/name`; None: the one that matters most
    at       None: the moment that matters most
    warn     is told of results that somebody else made, of a recording that is gone, and what `replay` tells

    Raises NotResults, UnknownHpa and what `replay` raises.
    """
    from hpaaudit.results.account_reconcile import interesting, reconcile_account

    with open_source(source, warn) as results:
        chosen, moment = interesting(results, hpa)
        account = reconcile_account(results, chosen, moment if at is None else at)
        return account if account.steps else _with_steps(account, results, source, warn)


def _with_steps(
    account: ReconcileAccount, results: "Results", source: Path, warn: Callable[[str], None]
) -> ReconcileAccount:
    """The same account with the steps and pods of a second replay; as it was where the recording is gone."""
    manifest = results.manifest_sha256
    opened = recording_of(results, source, account.recording, lambda opened: opened.info.manifest_sha256 == manifest)
    if opened is None:
        warn(
            f"the recording {account.recording} is not there, so its steps cannot be told: put it beside {results.path}"
        )
        return account
    recording = opened.folder
    known = {one.key: one for one in results.assumptions}
    settings = {key: one.value for key, one in known.items() if one.source == "user"}
    switched = {key: settings.pop(key) == "on" for key in [*settings] if settings[key] in ("on", "off")}
    release = settings.pop("release", None)
    try:
        api_server, period_us = known["api-server"].value, duration(known["sync-period"].value)
    except (KeyError, ValueError) as error:
        raise NotResults(f"{results.path} does not say how it was replayed ({error}): replay {recording}") from error
    if results.detail == "numbers":
        found = decision_at(
            recording,
            f"{account.namespace}/{account.name}",
            account.at_us,
            release=release,
            flags=settings,
            behaviours=switched,
            api_server=api_server,
            period_us=period_us,
        )
    else:
        again = passes(recording, release=release, flags=settings, behaviours=switched)
        found = next((done.decision for done in again if done.reconcile_id == account.reconcile_id), None)
    if found is None:
        return account
    return replace(account, steps=_step_lines(found), pods=_pod_lines(found))


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

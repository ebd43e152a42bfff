"""Explains one reconcile. What the results do not hold of it is decided again from the recording."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from hpaaudit.api.times import duration
from hpaaudit.errors import BadOption, NotResults, RecordingError
from hpaaudit.flows.declared import settings_in
from hpaaudit.flows.destination import RESULTS, WHAT_IF
from hpaaudit.flows.flips import TOLERANCE_HOLD, all_flips, desired_without_tolerance
from hpaaudit.flows.moments import At, When, landmark_or_time, times_of
from hpaaudit.flows.options import ShowProgress, Warn, ignore_warning, show_nothing
from hpaaudit.flows.paths import Source, path_of
from hpaaudit.flows.policy_budget import policy_budgets
from hpaaudit.flows.prepare import OWN_PERIOD
from hpaaudit.flows.redecide import Redecided, ReplaySettings, redecide
from hpaaudit.flows.source import open_source, recording_by_manifest
from hpaaudit.model.account import ConditionText, PodLine, PodMember, ReconcileAccount, StepLine
from hpaaudit.model.audit import DECLARED
from hpaaudit.model.decision import Decision
from hpaaudit.model.hpa_columns import HpaColumns
from hpaaudit.model.landmark import Landmark
from hpaaudit.model.units import SECOND, Micros
from hpaaudit.report.text import pasteable, printable, stamp

if TYPE_CHECKING:
    from hpaaudit.recording.reading.recording import Recording
    from hpaaudit.results.questions import Scope
    from hpaaudit.results.read import Results


_BESIDE_STEPS = "the nearest change and the budget of policies"
"""What of an explanation only the recording tells."""


def explain(  # noqa: PLR0913 the public API: an argument for each option of the command
    source: Source,
    hpa: str | None = None,
    *,
    at: At | None = None,
    since: When | None = None,
    until: When | None = None,
    selector: str = "",
    warn: Warn = ignore_warning,
    progress: ShowProgress = show_nothing,
) -> ReconcileAccount:
    """Explains the last reconcile of an HPA until a moment.

    source     results or a recording: the path, or what was opened
    hpa        `namespace/name`, a name alone that only one HPA has, or a pattern with `*`: of several, and without it,
               the HPA that matters most
    at         microseconds since 1970, a datetime with its zone, a text such as `14:05` or `-5m`, or the name of a
               moment, such as `first`; None: the moment that matters most
    since, until   only reconciles of this time count: it is among them that one matters most, is the first or the last
    selector   only HPAs whose last recorded labels match this label selector, as of kubectl; empty: all
    warn       is called if somebody else made the results, if the recording is gone, and with what `replay` warns of
    progress   is called while a recording is replayed

    Raises NotResults, UnknownHpa, BadOption for a time without a reconcile or a bad selector, and what `replay` raises.
    """
    from hpaaudit.results.account_reconcile import (
        chosen_hpa,
        interesting,
        landmark_place,
        reconcile_account,
        reconcile_accounts,
        reconcile_within,
    )
    from hpaaudit.results.questions import Scope

    path = path_of(source)
    with open_source(path, warn, progress, selector) as results:
        asked = None if at is None else landmark_or_time(at, results.span)
        since_us, until_us = times_of(results.span, since=since, until=until)
        within = Scope(since_us=since_us, until_us=until_us)
        _require_between(asked, within)
        chosen = chosen_hpa(results, hpa)
        results.narrow([chosen])  # all that follows is about this one
        if isinstance(asked, Landmark):
            _, number = landmark_place(results, chosen, asked, within)
            account = next(reconcile_accounts(results, [number]))
        elif since is not None or until is not None:
            account = reconcile_within(results, chosen, asked, within)
        else:
            at_us = interesting(results, chosen)[1] if asked is None else asked
            account = reconcile_account(results, chosen, at_us)
        if asked is not None and not isinstance(asked, Landmark):
            account = _with_asked(results, account, asked)
        return _decided_again(account, results, path, warn)


def _require_between(asked: Micros | Landmark | None, within: "Scope") -> None:
    """Raises BadOption for a time that is asked for and that does not count."""
    if asked is None or isinstance(asked, Landmark):
        return
    if within.since_us is not None and asked < within.since_us:
        raise BadOption(f"--at is {stamp(asked)}, before --since, which is {stamp(within.since_us)}")
    if within.until_us is not None and asked > within.until_us:
        raise BadOption(f"--at is {stamp(asked)}, later than --until, which is {stamp(within.until_us)}")


def _with_asked(results: "Results", account: ReconcileAccount, asked: Micros) -> ReconcileAccount:
    """The account, with the time that was asked for if its reconcile was in another second."""
    from hpaaudit.results.account_reconcile import deleted_at

    # A time without a fraction is asked for as the last microsecond of its second.
    whole = Micros(asked - asked % SECOND if asked % SECOND == SECOND - 1 else asked)
    if account.at_us > asked or account.at_us // SECOND == asked // SECOND:
        return account
    deleted_us = deleted_at(results, account.reconcile_id)
    is_gone = deleted_us is not None and deleted_us <= asked
    return replace(
        account,
        asked_us=whole,
        before_asked_s=(whole - account.at_us) / SECOND,
        deleted_us=deleted_us if is_gone else None,
    )


def explain_moment(source: Source, hpa: str, at_us: Micros) -> ReconcileAccount:
    """Explains what mattered to `namespace/name` at this time: a divergence that began, else as `explain`."""
    from hpaaudit.results.account_reconcile import reconcile_account

    path = path_of(source)
    with open_source(path) as results:
        return _decided_again(reconcile_account(results, hpa, at_us), results, path, ignore_warning)


def explain_number(source: Source, reconcile_id: int) -> ReconcileAccount:
    """Explains the reconcile with this number in the results. Raises as `explain`."""
    from hpaaudit.results.account_reconcile import reconcile_accounts

    path = path_of(source)
    with open_source(path) as results:
        return _decided_again(next(reconcile_accounts(results, [reconcile_id])), results, path, ignore_warning)


def reconciles_of(source: Source, hpa: str) -> HpaColumns:
    """Every reconcile of `namespace/name` in columns. Raises as `explain`."""
    from hpaaudit.results.hpa_columns import hpa_columns

    with open_source(path_of(source)) as results:
        return next(hpa_columns(results, [hpa]))


def explain_many(results: "Results", source: Path, numbers: Sequence[int]) -> Iterator[ReconcileAccount]:
    """Explains the reconciles with these `reconcile_id`s, in the order of time, without their nearest flips.

    Steps that the results do not hold are decided again, all in one replay; without the recording they are left out.
    """
    from hpaaudit.results.account_reconcile import reconcile_accounts

    accounts = list(reconcile_accounts(results, numbers))
    if all(account.steps for account in accounts):
        yield from accounts
        return
    from hpaaudit.flows.replay import replayed_reconciles

    recording = recording_by_manifest(results, source)
    decisions: dict[int, Decision] = {}
    if recording is not None:
        wanted = {account.reconcile_id for account in accounts if not account.steps}
        for reconcile in replayed_reconciles(recording.folder, _settings(results, recording).controller):
            if reconcile.reconcile_id in wanted:
                decisions[reconcile.reconcile_id] = reconcile.decision
    for account in accounts:
        decision = decisions.get(account.reconcile_id)
        yield account if decision is None else _with_steps(account, decision)


def evidence_sql(account: ReconcileAccount) -> str:
    """The queries that give the rows behind an account, each below the question that it answers.

    They begin with what the account tells and the results do not hold, because it was decided again, and with the
    command that keeps it.
    """
    from hpaaudit.results.account_reconcile import evidence_queries, stored

    with open_source(Path(account.file)) as results:
        steps, pods = stored(results, account.reconcile_id)
    lacking = [
        name
        for name, told, rows in (("steps", account.steps, steps), ("pods", account.pods, pods))
        if told and not rows
    ]
    queries = evidence_queries(account.reconcile_id)
    if not lacking:
        return queries
    return (
        f"-- The results hold no {' and no '.join(lacking)} of this reconcile, so that their queries have no rows:\n"
        f"-- explain decided it again. To keep them: {_keeping(account, lacking[-1])}\n\n{queries}"
    )


def _keeping(account: ReconcileAccount, detail: str) -> str:
    """The command that makes the same results with the steps, or with the pods too, of each reconcile."""
    file, recording = Path(account.file), pasteable(account.recording)
    is_default = file.parent.resolve() == Path(account.recording).resolve() and file.name in (RESULTS, WHAT_IF)
    into = [] if is_default else ["--into", pasteable(account.file), "--overwrite"]
    words = ["hpaaudit replay", recording, printable(account.what_if), "--detail", detail, *into]
    return " ".join(word for word in words if word)


def _decided_again(account: ReconcileAccount, results: "Results", source: Path, warn: Warn) -> ReconcileAccount:
    """The account with what only deciding it again shows: steps, pods, texts, budgets of policies, flips."""
    from hpaaudit.results.account_reconcile import place_in_instant

    try:
        recording = recording_by_manifest(results, source)
    except RecordingError as error:
        if account.steps:
            warn(f"{_BESIDE_STEPS} cannot be shown, because the recording cannot be read: {error}")
            return account
        raise
    if recording is None:
        lacking = _BESIDE_STEPS if account.steps else f"the steps, {_BESIDE_STEPS}"
        warn(
            f"the recording {account.recording} is not here as it was replayed, so {lacking} cannot be shown: "
            f"put it beside {results.path}, or replay it again"
        )
        return account
    settings = _settings(results, recording)
    place = place_in_instant(results, account)
    again = redecide(recording, f"{account.namespace}/{account.name}", account.at_us, settings, place)
    if again is not None and _is_same(again.decision, account):
        return _with_flips(_with_steps(account, again.decision), again)
    if account.steps:
        return account
    if results.detail != "numbers":
        from hpaaudit.flows.replay import replayed_reconciles

        # What the whole replay found out of the controller's memory is missing above.
        reconciles = replayed_reconciles(recording.folder, settings.controller)
        kept = next((one.decision for one in reconciles if one.reconcile_id == account.reconcile_id), None)
    else:
        kept = None if again is None else again.decision
    return account if kept is None else _with_steps(account, kept)


def _is_same(decision: Decision, account: ReconcileAccount) -> bool:
    return (decision.desired, decision.reason_code) == (account.desired, account.reason_code)


def _with_steps(account: ReconcileAccount, decision: Decision) -> ReconcileAccount:
    """The account with the steps, the pods and the texts of a decision."""
    conditions = () if decision.status is None else decision.status.conditions
    return replace(
        account,
        steps=tuple(_step_lines(decision)),
        pods=tuple(_pod_lines(decision)),
        members=tuple(_members(decision)),
        computed=tuple(
            ConditionText(type=one.type, status=one.status, reason=one.reason, message=one.message)
            for one in sorted(conditions, key=lambda condition: condition.type)
        ),
    )


def _with_flips(account: ReconcileAccount, again: Redecided) -> ReconcileAccount:
    """The account with its nearest flips and the budget of its policies."""
    decision, inputs = again.decision, again.inputs
    without_tolerance = desired_without_tolerance(inputs) if decision.reason_code == TOLERANCE_HOLD else None
    return replace(
        account,
        flips=tuple(all_flips(decision, inputs)),
        budget=tuple(policy_budgets(decision, inputs, again.unseen_us)),
        without_tolerance=without_tolerance,
    )


def _settings(results: "Results", recording: "Recording") -> ReplaySettings:
    """The settings of the replay, as its results hold them; raises NotResults."""
    assumptions = {assumption.key: assumption for assumption in results.assumptions}
    controller = settings_in(assumptions.values(), ("user", DECLARED))
    try:
        api_server, period_us = assumptions["api-server"].value, duration(assumptions["sync-period"].value)
    except (KeyError, ValueError) as error:
        raise NotResults(
            f"{results.path} does not say how it was replayed ({error}): replay {recording.folder}"
        ) from error
    own = {
        key.removeprefix(OWN_PERIOD): duration(assumption.value)
        for key, assumption in assumptions.items()
        if key.startswith(OWN_PERIOD)
    }
    return ReplaySettings(controller=controller, api_server=api_server, period_us=period_us, own_us=own)


def _step_lines(decision: Decision) -> Iterator[StepLine]:
    for step in decision.steps:
        yield StepLine(
            stage=step.stage,
            code=step.code,
            before=step.before,
            after=step.after,
            binding=step.binding,
            detail=step.detail,
        )


def _pod_lines(decision: Decision) -> Iterator[PodLine]:
    counts = Counter(
        (proposal.metric_idx, pod.bucket, pod.why_code) for proposal in decision.proposals for pod in proposal.pods
    )
    for (metric_idx, bucket, why_code), pods in sorted(counts.items()):
        yield PodLine(metric_idx=metric_idx, bucket=bucket, why_code=why_code, pods=pods)


def _members(decision: Decision) -> Iterator[PodMember]:
    for proposal in decision.proposals:
        for pod in sorted(proposal.pods, key=lambda pod: (pod.bucket, pod.pod)):
            yield PodMember(
                metric_idx=proposal.metric_idx,
                bucket=pod.bucket,
                why_code=pod.why_code,
                pod=pod.pod,
                value=pod.value,
                request=pod.request,
            )

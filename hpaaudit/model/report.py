"""A replay as a report: its account, and explanations of the reconciles that matter."""

from dataclasses import dataclass

from hpaaudit.model.account import ReconcileAccount, ReplayAccount


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a report shows.

    explanations   the reconciles that matter most of the HPAs that are drawn, HPA by HPA, in the order of time
    """

    account: ReplayAccount
    explanations: tuple[ReconcileAccount, ...]

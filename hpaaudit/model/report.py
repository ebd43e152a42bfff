"""A replay as a report: its account, explanations of the reconciles that matter, and what the page draws."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from hpaaudit.model.account import ReconcileAccount, ReplayAccount


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a report shows.

    explanations   the reconciles that matter most of the HPAs that are drawn, HPA by HPA, in the order of time
    packed         every reconcile of an HPA, by its namespace and name, as the page carries them
    """

    account: ReplayAccount
    explanations: tuple[ReconcileAccount, ...]
    packed: Mapping[tuple[str, str], str] = field(default_factory=dict)

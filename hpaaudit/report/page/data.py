"""What the page carries of one HPA besides its HTML: every reconcile, and its explanation."""

from collections.abc import Mapping

from hpaaudit.model.account import ReconcileAccount
from hpaaudit.model.hpa_columns import HpaColumns
from hpaaudit.report.codes import WORDS
from hpaaudit.report.explain import explain_rows
from hpaaudit.report.page.fold import folded
from hpaaudit.report.page.pack import packed
from hpaaudit.report.page.thin import thinned
from hpaaudit.report.shown import shown

_LONGEST = 2000
"""So many characters of a message that Kubernetes wrote are shown in an explanation."""


def data_of(hpa: HpaColumns, explained: Mapping[int, ReconcileAccount], every: int = 1) -> str:
    """The packed reconciles of an HPA.

    explained   accounts by `reconcile_id`. A reconcile without one is told in words from its columns
    every       only one of so many reconciles is packed, and those at which something changed
    """
    hpa = thinned(hpa, every)
    accounts = [explained.get(number) for number in hpa.reconcile_ids]
    codes = {code for words in hpa.words.values() for code in words}
    more = {
        "every": every,
        "texts": folded(None if account is None else _text(account) for account in accounts),
        "meaning": {code: WORDS[code] for code in sorted(codes & WORDS.keys())},
    }
    return packed(hpa, more)


def _text(account: ReconcileAccount) -> str:
    """A line for each row of an explanation: its label, a tab, its text."""
    return "\n".join(f"{label}\t{shown(text, _LONGEST)}" for label, text in explain_rows(account))

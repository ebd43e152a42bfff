"""The HPAs of a results file, the one that matters most first."""

from typing import Any

from hpaaudit.results.moments import account_sql
from hpaaudit.results.read import Results


def hpa_names(results: Results) -> list[str]:
    """Every HPA of the current replay that has a reconcile, as `namespace/name`, the one that matters most first."""
    # One that was deleted and made again is there twice, with two uids.
    return list(dict.fromkeys(row["hpa"] for row in worst_first(results)))


def worst_first(results: Results) -> list[dict[str, Any]]:
    """The same HPAs with their uids, in this order: columns `hpa_uid` and `hpa`."""
    return results.rows(account_sql("worst_first"))


def is_hpa_name(results: Results, text: str) -> bool:
    """True if a text is one of these names. To know that takes no order, which every reconcile has a say in."""
    return bool(results.rows("from reconciles select 1 where namespace || '/' || name = $hpa limit 1", hpa=text))

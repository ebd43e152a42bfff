"""A replay as a report: its account, explanations of the reconciles that matter, and what the page draws."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Protocol

from hpaaudit.model.account import ReconcileAccount, ReplayAccount
from hpaaudit.model.counted import counted


class _Path(Protocol):
    def __fspath__(self) -> str: ...


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Report:
    """What a report shows.

    explanations   the reconciles that matter most of the HPAs that are drawn, HPA by HPA, in the order of time
    packed         every reconcile of an HPA, by its namespace and name, as the page carries them
    """

    account: ReplayAccount
    explanations: tuple[ReconcileAccount, ...]
    packed: Mapping[tuple[str, str], str] = field(default_factory=dict)

    def __repr__(self) -> str:
        hpas = self.account.hpas
        what = f"{hpas[0].namespace}/{hpas[0].name}" if len(hpas) == 1 else counted(len(hpas), "HPA")
        return f"<{type(self).__name__} of {what}: {counted(sum(hpa.reconciles for hpa in hpas), 'reconcile')}>"

    # What writes it is above all packages, so its module is found by its name and only when it is asked for.

    def html(self) -> str:
        """The page that `hpaaudit report` writes."""
        text: str = import_module("hpaaudit.flows.report_files").html(self)
        return text

    def save(self, into: str | _Path, *, overwrite: bool = False) -> str:
        """Writes it as the name of the file says: `.html`, `.md`, `.xml`, `.sarif`, `.json`; the path of the file.

        into   the file, or a folder, in which it is `report.html`

        Raises BadOption for another ending, FileExists, NotWritable.
        """
        files = import_module("hpaaudit.flows.report_files")
        speaking_python = import_module("hpaaudit.flows.python_errors").speaking_python
        return str(speaking_python(files.save)(self, into, overwrite=overwrite))

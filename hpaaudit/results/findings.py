"""The queries of `sql/findings/`: one for each pattern, with the signs without which it need not run."""

from dataclasses import dataclass
from functools import lru_cache

from hpaaudit.results import sql

_NEEDS = "Needs:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A query that finds a pattern.

    asks     the question that it answers
    row      what one row is, and when there is one
    needs    signs of `sql/audit/67_signs.sql` of which at least one occurs if the pattern does; empty: any may
    query    the SQL, without its last semicolon
    """

    pattern: str
    asks: str
    row: str
    needs: frozenset[str]
    query: str

    @property
    def insert(self) -> str:
        """The statement that adds what the query finds to the table `found`."""
        return f"insert into found by name select '{self.pattern}' as pattern, * from ({self.query}\n)"  # noqa: S608 our own


@lru_cache(maxsize=1)
def findings() -> tuple[Finding, ...]:
    """Every finding, in the order of the names of the patterns."""
    return tuple(_finding(pattern, text) for pattern, text in sql.folder("findings").items())


def _finding(pattern: str, text: str) -> Finding:
    asks, *rest = sql.heading(text)
    needs = next((line.removeprefix(_NEEDS).split() for line in rest if line.startswith(_NEEDS)), [])
    row = " ".join(line for line in rest if not line.startswith(_NEEDS))
    return Finding(pattern=pattern, asks=asks, row=row, needs=frozenset(needs), query=text.rstrip().removesuffix(";"))

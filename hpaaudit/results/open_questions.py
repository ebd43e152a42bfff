"""The reconciles that another setting would have to explain, read one HPA at a time: a fleet has millions."""

from collections.abc import Iterator, Mapping, Sequence

import duckdb

from hpaaudit.model.sensitivity import Compared


class OpenQuestions(Mapping[str, Sequence[Compared]]):
    """The reconciles to explain, by HPA (`namespace/name`): the HPA with the most unexplained ones first."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        worst_first = connection.execute(
            "select hpa from open_questions group by hpa having count(divergence_id) > 0 "
            "order by count(divergence_id) filter (is_seen) desc, hpa"
        ).fetchall()
        self._hpas = {hpa: None for (hpa,) in worst_first}

    def __getitem__(self, hpa: str) -> Sequence[Compared]:
        """Its reconciles in the order of time."""
        answer = self._connection.execute("from open_questions where hpa = ? order by at_us, reconcile_id", [hpa])
        names = [column[0] for column in answer.description]
        return [Compared(**dict(zip(names, row, strict=True))) for row in answer.fetchall()]

    def __contains__(self, hpa: object) -> bool:
        """True if the HPA has unexplained divergences. No row is read for that."""
        return hpa in self._hpas

    def __iter__(self) -> Iterator[str]:
        return iter(self._hpas)

    def __len__(self) -> int:
        return len(self._hpas)

"""Counts a join: recall and precision of each kind, the confusion matrix, and what was wrong."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hpaaudit.results.read import Results
from tests.cluster.week.joined import WORDS, Joined
from tests.cluster.week.played import Label
from tests.cluster.week.said import Statement

UNEXPLAINED = "unexplained"
LEAST = 0.98
"""Asked of recall and of precision, for every kind."""
MOST_UNEXPLAINED = 1 / 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A kind: how often it was done and told, what was said of it, and how often its word was wrong."""

    kind: str
    word: str
    done: int
    told: int
    said: Mapping[str, int]
    wrong: int

    @property
    def recall(self) -> float:
        """Of the incidents, how many were told."""
        return self.told / self.done

    @property
    def precision(self) -> float | None:
        """Of what was said in its word, how much was true; None where nothing was said."""
        right = self.said.get(self.word, 0)
        return right / (right + self.wrong) if right + self.wrong else None


def rows(joined: Joined) -> list[Row]:
    """A row for each kind that was played, in the order of their names."""
    wrong = Counter(one.word for one, kind in joined.statements if not kind)
    done, told, said = Counter[str](), Counter[str](), dict[str, Counter[str]]()
    for label, missing in played(joined):
        done[label.kind] += 1
        told[label.kind] += not missing
        said[label.kind] = Counter()
    for one, kind in joined.statements:
        if kind:
            said[kind][one.word] += 1
    return [
        Row(
            kind=kind, word=WORDS[kind], done=done[kind], told=told[kind], said=said[kind], wrong=wrong[WORDS[kind]]
        )
        for kind in sorted(done)
    ]  # fmt: skip


def played(joined: Joined) -> list[tuple[Label, tuple[str, ...]]]:
    """The incidents that the cluster itself showed."""
    return [(label, missing) for label, missing in joined.labels if not label.problem]


def untrue(joined: Joined) -> list[Statement]:
    """What was said although nothing of that kind was done."""
    return [one for one, kind in joined.statements if not kind]


def verdicts(results: Results) -> list[tuple[str, str, int]]:
    """How many reconciles got each verdict and class, the most first."""
    counted = results.rows("select verdict, coalesce(class, '') as class, count(*) as n from reconciles group by all")
    return sorted(((row["verdict"], row["class"], row["n"]) for row in counted), key=lambda row: (-row[2], row))


def matrix(joined: Joined) -> Iterator[str]:
    """The confusion matrix as a table: a row for each kind, and what it was told as."""
    yield "| what was done | its word | incidents | told | recall | said of it | wrong | precision |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    for row in rows(joined):
        precision = "" if row.precision is None else f"{row.precision:.0%}"
        figures = f"{row.done} | {row.told} | {row.recall:.0%} | {_counted(row.said)} | {row.wrong} | {precision}"
        yield f"| {row.kind} | `{row.word}` | {figures} |"
    nothing = Counter(one.word for one in untrue(joined))
    yield f"| nothing of that kind |  |  |  |  | {_counted(nothing) or 'nothing'} | {nothing.total()} |  |"


def _counted(words: Mapping[str, int]) -> str:
    ordered = sorted(words.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"`{word}` {count}" for word, count in ordered)


def is_as_good_as_asked(joined: Joined, counted: list[tuple[str, str, int]]) -> bool:
    """Recall and precision of every kind, no wrong `proven`, and few reconciles that nothing explains."""
    unexplained = sum(n for _, name, n in counted if name == UNEXPLAINED)
    reconciles = sum(n for _, _, n in counted)
    return (
        all(row.recall >= LEAST and (row.precision is None or row.precision >= LEAST) for row in rows(joined))
        and not any(one.is_proven for one in untrue(joined))
        and unexplained <= MOST_UNEXPLAINED * reconciles
    )

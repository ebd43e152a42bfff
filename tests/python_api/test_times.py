"""Each time of a value is there as a datetime too, under the name that JSON has for its text."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, fields, is_dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import hpaaudit
from hpaaudit.flows.bundled import bundled_recording
from hpaaudit.report.structured import with_times


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Iterator[hpaaudit.Results]:
    with hpaaudit.replay(bundled_recording(), into=tmp_path_factory.mktemp("times") / "demo.duckdb") as replayed:
        yield replayed


def parts(value: object) -> Iterator[object]:
    """The value and every dataclass in it."""
    if is_dataclass(value) and not isinstance(value, type):
        yield value
        for field in fields(value):
            yield from parts(getattr(value, field.name))
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from parts(item)
    elif isinstance(value, Sequence) and not isinstance(value, str | bytes):
        for item in value:
            yield from parts(item)


def texts(value: object) -> dict[str, str | None]:
    """The times of a dataclass as JSON has them."""
    names = {field.name for field in fields(value)}  # type: ignore[arg-type]
    told = with_times(asdict(value))  # type: ignore[call-overload]
    return {name: text for name, text in told.items() if name not in names}


def public_values(results: hpaaudit.Results) -> Iterator[object]:
    """What the functions return that has times."""
    yield hpaaudit.explain(results)
    yield hpaaudit.timeline(results)
    yield hpaaudit.report(results).account
    yield hpaaudit.inspect(results, since="15:00")
    yield hpaaudit.verify(results)
    yield hpaaudit.open(results).info


def test_every_time_is_a_datetime_in_utc_too(results: hpaaudit.Results) -> None:
    seen = 0
    for value in public_values(results):
        for part in parts(value):
            for name, text in texts(part).items():
                at = getattr(part, name)
                assert at == (None if text is None else datetime.fromisoformat(text)), (type(part), name)
                assert at is None or at.utcoffset() == timedelta(0)
                seen += at is not None
    assert seen > 100


def test_what_is_given_as_a_datetime_is_taken_back(results: hpaaudit.Results) -> None:
    account = hpaaudit.explain(results)
    assert hpaaudit.explain(results, at=account.at) == account
    marks = hpaaudit.timeline(results).marks
    assert marks
    for mark in marks:
        by_time, by_number = (
            hpaaudit.query(results, "select $since as since, $until as until", since=since, until=until).rows()
            for since, until in ((mark.at, mark.until or mark.at), (mark.at_us, mark.until_us or mark.at_us))
        )
        assert by_time == by_number == [(mark.at, mark.until or mark.at)]
        assert mark.at == datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=mark.at_us)


def test_a_type_checker_knows_which_times_may_be_none(tmp_path: Path) -> None:
    from mypy import api

    (tmp_path / "user.py").write_text(
        "import hpaaudit\nreveal_type(hpaaudit.explain('x').at)\nreveal_type(hpaaudit.explain('x').asked)\n"
    )
    told, _, _ = api.run(["--no-incremental", "--follow-imports=silent", str(tmp_path / "user.py")])
    assert [line.split('"')[1] for line in told.splitlines() if "Revealed" in line] == [
        "datetime.datetime",
        "datetime.datetime | None",
    ]

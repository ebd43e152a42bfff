"""Documents of YAML and JSON: several, Lists, and what is neither."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpaaudit.errors import AuditError, BadObject
from hpaaudit.flows.convert import convert
from hpaaudit.importers.documents import documents


def kinds(text: str) -> list[Any]:
    return [found.get("kind") for found in documents(text, "f")]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("kind: A\n---\nkind: B\n", ["A", "B"]),
        ("---\n---\nkind: A\n", ["A"]),
        ('{"kind": "List", "items": [{"kind": "A"}, {"kind": "List", "items": [{"kind": "B"}]}]}', ["A", "B"]),
        ("kind: ThingList\napiVersion: v1\nitems: [{}, {}]\n", ["Thing", "Thing"]),
        ("kind: A\nitems: [1]\n", ["A"]),
        ("", []),
    ],
)
def test_every_object_of_a_file_is_found(text: str, found: list[str]) -> None:
    assert kinds(text) == found


def test_a_time_stays_text_and_a_key_is_text() -> None:
    (found,) = documents("at: 2026-03-02T14:05:00Z\n1: {true: a}\n", "f")
    assert found == {"at": "2026-03-02T14:05:00Z", "1": {"true": "a"}}


@pytest.mark.parametrize("text", ["a: [", "- 1", "text", "a: b: c", "\x00", "!!python/object:os.system {}"])
def test_what_is_no_object_is_refused_with_the_name_of_the_file(text: str) -> None:
    with pytest.raises(BadObject, match=r"^f:"):
        list(documents(text, "f"))


@given(text=st.text(max_size=60) | st.sampled_from(["kind: HorizontalPodAutoscaler", "&a [*a]", "a: &a {b: *a}"]))
def test_whatever_a_file_holds_the_answer_is_an_error_of_ours(text: str, tmp_path_factory: Any) -> None:
    file = tmp_path_factory.getbasetemp() / "any.yaml"
    file.write_text(text, "utf-8", newline="")
    with pytest.raises(AuditError):
        convert(file, to="v2")

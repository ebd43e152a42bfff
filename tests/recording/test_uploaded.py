"""The memory of what is uploaded outlives a crash at any byte."""

from pathlib import Path

from hpaaudit.recording.uploaded import UPLOADED, mark_uploaded, uploaded


def test_what_was_marked_is_uploaded(tmp_path: Path) -> None:
    assert uploaded(tmp_path) == frozenset()
    for number in (1, 2, 12):
        mark_uploaded(tmp_path, number)
    assert uploaded(tmp_path) == {1, 2, 12}


def test_a_mark_torn_at_any_byte_was_never_made_and_the_next_one_counts(tmp_path: Path) -> None:
    mark_uploaded(tmp_path, 1)
    whole = (tmp_path / UPLOADED).read_bytes()
    mark_uploaded(tmp_path, 23)
    both = (tmp_path / UPLOADED).read_bytes()
    for cut in range(len(whole), len(both)):
        (tmp_path / UPLOADED).write_bytes(both[:cut])
        assert uploaded(tmp_path) == {1}
        mark_uploaded(tmp_path, 4)
        # Only the line's own end was lost: then it was said.
        assert uploaded(tmp_path) in ({1, 4}, {1, 4, 23} if cut == len(both) - 1 else {1, 4})

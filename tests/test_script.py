"""The golden-script format keeps what it reads, and writes what was answered."""

from pathlib import Path

import pytest

from tests.script import parse, play

SCRIPT = """\
# Echo answers with its input.
echo
one
two
----
one
two

# An answer with a blank line stands between fences.
echo twice
----
----
a

b
----

silent
----
"""

ANSWERS = {"echo": "one\ntwo\n", "echo twice": "a\n\nb\n", "silent": ""}


def answer(command: str, _: str) -> str:
    """What the script expects."""
    return ANSWERS[command]


def test_a_block_is_a_command_its_input_and_its_answer() -> None:
    blocks = list(parse(SCRIPT))
    assert [(block.command, block.input, block.expected) for block in blocks] == [
        ("echo", "one\ntwo", "one\ntwo\n"),
        ("echo twice", "", "a\n\nb\n"),
        ("silent", "", ""),
    ]


def test_rewriting_what_is_right_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "story.txt"
    path.write_text(SCRIPT, "utf-8")
    play(path, answer, rewrite=True)
    assert path.read_text("utf-8") == SCRIPT
    play(path, answer, rewrite=False)


def test_another_answer_fails_with_its_place_and_is_written_on_demand(tmp_path: Path) -> None:
    path = tmp_path / "story.txt"
    path.write_text(SCRIPT, "utf-8")
    with pytest.raises(AssertionError, match=r"story\.txt:2: echo"):
        play(path, lambda *_: "other\n", rewrite=False)
    play(path, lambda *_: "other\n", rewrite=True)
    play(path, lambda *_: "other\n", rewrite=False)


def test_a_script_without_commands_proves_nothing_and_fails(tmp_path: Path) -> None:
    path = tmp_path / "story.txt"
    path.write_text("# Nothing.\n", "utf-8")
    with pytest.raises(AssertionError, match="no command"):
        play(path, answer, rewrite=False)

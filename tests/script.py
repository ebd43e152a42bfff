"""The golden-script format: a story in plain text, of commands and what they answer.

    # A line of comment.
    command
    input, any number of lines
    ----
    expected

A blank line ends the expected text; one that holds blank lines itself stands between two lines of `----`
and a last one. `pytest --rewrite` writes what was answered; then read the diff.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

FENCE = "----"


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A command, its input, and the answer that is expected; `lead` is what stands before it."""

    lead: str
    command: str
    input: str
    expected: str
    line: int


def parse(text: str) -> Iterator[Block]:
    """The blocks of a script, in order."""
    lines = text.splitlines()
    here = 0
    while here < len(lines):
        lead = here
        while here < len(lines) and (not lines[here].strip() or lines[here].startswith("#")):
            here += 1
        if here == len(lines):
            return
        start = here
        here = lines.index(FENCE, here)
        command, *arguments = lines[start:here]
        fenced = here + 1 < len(lines) and lines[here + 1] == FENCE
        begin = here + 2 if fenced else here + 1
        here = (
            lines.index(FENCE, begin)
            if fenced
            else next((i for i in range(begin, len(lines)) if not lines[i]), len(lines))
        )
        yield Block(
            lead="".join(f"{line}\n" for line in lines[lead:start]),
            command=command,
            input="\n".join(arguments),
            expected="".join(f"{line}\n" for line in lines[begin:here]),
            line=start + 1,
        )
        here += 1


def written(block: Block, answer: str) -> str:
    """The block as text, with this answer."""
    fence = f"{FENCE}\n{FENCE}\n" if "\n\n" in answer or answer.startswith("\n") else f"{FENCE}\n"
    last = f"{FENCE}\n" if fence != f"{FENCE}\n" else ""
    input_text = f"{block.input}\n" if block.input else ""
    return f"{block.lead}{block.command}\n{input_text}{fence}{answer}{last}"


def play(path: Path, answer: Callable[[str, str], str], *, rewrite: bool) -> None:
    """Play a script: every command is answered as expected, or the file is written anew."""
    blocks = list(parse(path.read_text("utf-8")))
    answers = []
    for block in blocks:
        text = answer(block.command, block.input)
        answers.append(text if text.endswith("\n") or not text else f"{text}\n")
    if rewrite:
        texts = [written(block, text) for block, text in zip(blocks, answers, strict=True)]
        path.write_text("\n".join(text.lstrip("\n") for text in texts), "utf-8")
        return
    assert blocks, f"{path} holds no command"
    for block, text in zip(blocks, answers, strict=True):
        changed = "".join(unified_diff(block.expected.splitlines(keepends=True), text.splitlines(keepends=True)))
        assert text == block.expected, f"{path}:{block.line}: {block.command}\n{changed}"

"""Commands and everything that they print, held to what stands in `golden/`."""

from pathlib import Path

import pytest

from tests.cli.run import shown
from tests.script import play

GOLDEN = Path(__file__).parent / "golden"
ROOT = Path(__file__).parents[2]


@pytest.mark.golden
@pytest.mark.usefixtures("at_desk")
@pytest.mark.parametrize("script", sorted(GOLDEN.glob("*.txt")), ids=lambda path: path.stem)
def test_commands_print_what_is_golden(script: Path, rewrite: bool) -> None:
    play(script, lambda command, _: shown(command).replace(f"{ROOT}/", ""), rewrite=rewrite)

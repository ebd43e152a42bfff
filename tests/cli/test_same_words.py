"""`inspect` and `replay` say the same about what a recording lacks."""

from pathlib import Path

import pytest

from hpaaudit.model.facts import HpaSeen
from tests.cli.run import run
from tests.conformance.expected import captures
from tests.fleet.chance import write
from tests.sample import one_in
from tests.truth.views import VIEWS
from tests.truth.worlds import facts_of

LACKS = {
    "no writers": "writers of the replicas",
    "no pods": "pods",
    "no metrics": "answer of a metric API",
}


@pytest.mark.parametrize("view", sorted({*LACKS, *one_in(3, list(VIEWS))}))
def test_what_inspect_calls_missing_the_first_screen_calls_not_recorded(view: str, tmp_path: Path) -> None:
    capture = next(one for one in captures("1.36") if "people" in one.name)
    shown = list(VIEWS[view](facts_of(capture)))
    write(tmp_path / "world", shown, len(shown) + 1)
    inspected = run(f"hpaaudit inspect {tmp_path / 'world'}")[1]
    listed = inspected.partition("  missing\n")[2].partition("\n\n")[0].splitlines()
    code, screen, _ = run(f"hpaaudit replay {tmp_path / 'world'}")
    assert code == 0
    text = " ".join(screen.split())
    for line in listed:
        what, _, limits = line.strip().partition(": ")
        assert f"not recorded: {what.removeprefix('no ')} ({limits})" in text
    assert text.count("not recorded: ") == len(listed)
    assert view not in LACKS or f"not recorded: {LACKS[view]} (" in text


def test_what_is_not_recorded_is_denied_once(tmp_path: Path) -> None:
    """A recording of HPAs alone lacks all the rest."""
    hpas = [fact for fact in facts_of(captures("1.36")[0]) if isinstance(fact, HpaSeen)]
    write(tmp_path / "world", hpas, len(hpas) + 1)
    screen = " ".join(run(f"hpaaudit replay {tmp_path / 'world'}")[1].split())
    lacking = [part.partition(" (")[0] for part in screen.split("not recorded: ")[1:]]
    assert len(lacking) > 5
    assert [what for what in lacking if "no" in what.split()] == []

"""The list of mutants is sound; `make mutants` runs them."""

import pytest

from tests.mutants.change import ENGINE, mutated, path_of
from tests.mutants.mutants import MUTANTS, Mutant


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_mutant_fits_in_one_place_and_can_be_compiled(mutant: Mutant) -> None:
    compile(mutated(mutant), mutant.file, "exec")


def test_every_rule_has_a_mutant_and_no_mutant_comes_twice() -> None:
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)
    files = {path for folder in ("rules", "eras") for path in (ENGINE / folder).glob("*.py")}
    assert {path_of(mutant) for mutant in MUTANTS} == {
        path for path in files if path.stem not in ("__init__", "reason_codes")
    }

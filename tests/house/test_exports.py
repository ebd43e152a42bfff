"""What `import hpaaudit` offers: the names are there, a type checker knows them, and nothing is loaded too early."""

import ast
import subprocess
import sys
from pathlib import Path

import hpaaudit

ROOT = Path(__file__).parents[2]


def test_the_public_names_are_what_dir_shows_and_each_is_there() -> None:
    assert dir(hpaaudit) == sorted(hpaaudit.__all__)
    assert all(getattr(hpaaudit, name) is not None for name in dir(hpaaudit))


def test_a_type_checker_knows_what_each_function_returns(tmp_path: Path) -> None:
    """As a user's own checker sees it: the package says that it is typed."""
    assert (ROOT / "hpaaudit" / "py.typed").is_file()
    calls = {
        'replay("friday")': "hpaaudit.results.read.Results",
        'explain(Path("friday"))': "hpaaudit.model.account.ReconcileAccount",
        'timeline("friday", "shop/web")': "hpaaudit.model.timeline.Timeline",
        'query(Path("friday"), "select 1")': "hpaaudit.results.answer.Answer",
        'inspect(Path("friday"))': "hpaaudit.model.inspection.Inspection",
        'verify(Path("friday"))': "hpaaudit.model.inspection.Verification",
        'repair(Path("friday"))': "hpaaudit.model.inspection.Repair",
        'convert("web.yaml", to="v1")': "hpaaudit.model.conversion.Conversion",
        "releases()": "hpaaudit.model.history.Releases",
    }
    lines = ["from pathlib import Path", "import hpaaudit", *(f"reveal_type(hpaaudit.{call})" for call in calls)]
    (tmp_path / "user.py").write_text("\n".join(lines))
    checker = [sys.executable, "-m", "mypy", "--no-incremental", "--follow-imports=silent", str(tmp_path / "user.py")]
    output = subprocess.run(checker, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    revealed = [line.split('"')[1] for line in output.splitlines() if "Revealed type" in line]
    assert revealed == list(calls.values()), output


def test_a_type_checker_knows_every_public_name() -> None:
    """A name that only `__getattr__` knows would be `Any` to a user's checker."""
    tree = ast.parse((ROOT / "hpaaudit" / "__init__.py").read_text("utf-8"))
    [for_checkers] = [node for node in tree.body if isinstance(node, ast.If)]
    imported = {
        alias.asname or alias.name
        for node in for_checkers.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert imported | {"__version__"} == set(hpaaudit.__all__)


def test_importing_the_package_loads_no_other_part_of_it_than_its_version() -> None:
    loaded = "import sys, hpaaudit; print(*(name for name in sys.modules if name.startswith('hpaaudit.')))"
    output = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True).stdout
    assert output.split() == ["hpaaudit.version"]

"""No error and no warning that a caller of Python gets speaks of options or commands of the command line."""

import ast
import inspect
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import hpaaudit
from hpaaudit.cli import COMMANDS
from hpaaudit.flows.bundled import bundled_recording
from hpaaudit.flows.python_errors import in_python

PACKAGE = Path(hpaaudit.__file__).parent
OF_A_SHELL = re.compile(rf"(?<!\S)[`(]?--[a-z]|\bhpaaudit ({'|'.join(COMMANDS)})\b|(?<=\s)-[a-zA-Z](?=\s|$)")
"""An option, also a short one, and a command."""
WORDED_ELSEWHERE = ("cli", "report", "cluster")
"""Folders whose texts a command prints, or a recorder logs."""


@pytest.fixture(scope="module")
def friday(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording with its results."""
    folder = tmp_path_factory.mktemp("errors") / "friday"
    shutil.copytree(bundled_recording(), folder)
    hpaaudit.replay(folder).close()
    return folder


def refusal(call: Callable[[], object]) -> str:
    """What is said of a mistake."""
    with pytest.raises(hpaaudit.AuditError) as refused:
        call()
    return str(refused.value)


MISTAKES: dict[str, tuple[Callable[[Path], object], str]] = {
    "an unknown release": (lambda _: hpaaudit.releases(between=("1.9", "1.99")), "release 1.99 is not known"),
    "an unknown question": (lambda f: hpaaudit.query(f, "nosuch"), "hpaaudit.questions() lists them"),
    "a file of SQL": (lambda f: hpaaudit.query(f, "a.sql"), "Path('a.sql').read_text()"),
    "an unknown version": (lambda f: hpaaudit.convert(f, to="v3"), "to='v3' is no version of the HPA"),
    "an unknown rule": (lambda f: hpaaudit.replay(f, behaviours={"xyz": True}), "hpaaudit.releases() lists them"),
    "a zone's name": (lambda f: hpaaudit.explain(f, at="2026-03-02 14:05 CET"), "the offset from UTC in place of CET"),
    "results in place of a recording": (
        lambda f: hpaaudit.inspect(f / "results.duckdb"),
        "hpaaudit.open_results('",
    ),
    "a capture in place of a recording": (
        lambda f: hpaaudit.verify(_written(f.parent / "friday.jsonl", '{"path": "/apis"}\n')),
        "hpaaudit.import_capture(['",
    ),
    "text in place of results": (
        lambda f: hpaaudit.open_results(_written(f.parent / "some.duckdb", "text")),
        "hpaaudit.replay(recording, into=file)",
    ),
    "results that exist": (lambda f: hpaaudit.replay(f, into=f / "results.duckdb"), "into"),
    "times in a wrong order": (lambda f: hpaaudit.explain(f, since="15:05", until="15:04"), "since is 2026-"),
    "a time that does not count": (lambda f: hpaaudit.explain(f, since="15:05", at="15:04"), "before since, which is"),
    "no reconcile of that time": (lambda f: hpaaudit.explain(f, at="first-divergence", until="15:00"), "at"),
    "a file that is damaged": (lambda f: hpaaudit.explain(_damaged(f)), "hpaaudit.repair"),
    "no kubeconfig": (lambda f: hpaaudit.record(f.parent / "new", kubeconfig="nowhere"), "by kubeconfig"),
    "two ways": (lambda f: hpaaudit.replay(f, declare=True, since="15:00"), "leave out into, hpas, selector, since"),
}  # fmt: skip


def _written(file: Path, text: str) -> Path:
    file.write_text(text)
    return file


def _damaged(folder: Path) -> Path:
    """A copy of a recording in which a byte is wrong."""
    copied = folder.with_name("damaged")
    shutil.copytree(folder, copied, ignore=shutil.ignore_patterns("*.duckdb"), dirs_exist_ok=True)
    file = max((copied / "segments").rglob("hpas.parquet"))
    file.write_bytes(file.read_bytes()[:-1])
    return copied


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_in_python(mistake: str, friday: Path) -> None:
    call, said = MISTAKES[mistake]
    told = refusal(lambda: call(friday))
    assert said in told
    assert not OF_A_SHELL.search(told), told


WRONG = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.binary(max_size=4), st.text(max_size=6),
    st.sampled_from(["nosuch", "1.99", "25:00", "2030-01-01", "v3", "a=b=c", "*/*/*", "-5m", "selct 1", "friday.sql"]),
    st.lists(st.sampled_from(["nosuch", 1.5, None]), max_size=2),
    st.dictionaries(st.sampled_from(["tolerance", "xyz"]), st.sampled_from(["abc", True, None]), max_size=1),
)  # fmt: skip
FUNCTIONS = ["explain", "timeline", "query", "inspect", "verify", "repair", "report", "convert", "releases", "replay"]


@pytest.mark.parametrize("name", [*FUNCTIONS, "open", "open_results", "import_capture"])
@settings(
    max_examples=25, deadline=None, derandomize=True, database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)  # fmt: skip
@given(data=st.data())
def test_whatever_is_given_is_refused_in_python(name: str, data: st.DataObject, friday: Path) -> None:
    function = getattr(hpaaudit, name)
    first, *others = (one for one in inspect.signature(function).parameters if one not in ("warn", "progress", "into"))
    names = data.draw(st.lists(st.sampled_from(others or [first]), max_size=2))
    given_values = {one: data.draw(WRONG) for one in names}
    values = {first: friday, **({"question": "what_happened"} if name == "query" else {}), **given_values}
    values |= {"to": "v1"} if name == "convert" and "to" not in values else {}
    values |= {"into": friday.parent / "refused"} if name == "import_capture" else {}
    values |= {"plan": True} if name == "repair" else {}
    warned: list[str] = []
    if "warn" in inspect.signature(function).parameters:
        values["warn"] = warned.append
    if name == "releases":
        values = {"between": data.draw(st.sampled_from([("1.9", "1.99"), ("x", "1.9"), ("1.36.99", "2.0")]))}
    try:
        function(**values)
    except hpaaudit.AuditError as refused:
        warned.append(str(refused))
    except (TypeError, ValueError, AttributeError):  # a value of a type that a type checker refuses
        return
    given_texts = [str(value) for value in given_values.values()]
    for told in warned:
        for text in given_texts:
            told = told.replace(text, "") if text else told  # noqa: PLW2901 what was given is not ours
        assert not OF_A_SHELL.search(told), told


def texts() -> Iterator[tuple[str, str]]:
    """Every text of the package that an error may say, with the file; X stands for a value."""
    for file in sorted(PACKAGE.rglob("*.py")):
        if file.relative_to(PACKAGE).parts[0] in WORDED_ELSEWHERE:
            continue
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Raise) and node.exc is not None:
                yield from ((text, str(file)) for text in _texts(node.exc))


def _texts(node: ast.AST) -> Iterator[str]:
    """Every text in an expression."""
    if isinstance(node, ast.JoinedStr):
        yield "".join(str(one.value) if isinstance(one, ast.Constant) else "X1" for one in node.values)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    else:
        for child in ast.iter_child_nodes(node):
            yield from _texts(child)


def test_every_error_of_the_package_can_be_told_in_python() -> None:
    """Also those that no mistake of these tests brings about."""
    parameters = {
        name for public in hpaaudit.__all__ if inspect.isfunction(function := getattr(hpaaudit, public))
        for name in inspect.signature(function).parameters
    }  # fmt: skip
    found = [(text, file) for text, file in texts() if re.search(r"--[a-z]|`hpaaudit ", text)]
    assert len(found) > 20
    wrong = {text: file for text, file in found if OF_A_SHELL.search(in_python(text, parameters))}
    assert wrong == {}

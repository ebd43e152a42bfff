"""What holds for all tests: `--rewrite`, and no skips where HPAAUDIT_NO_SKIP says that every program is there."""

import os
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples in every run; HYPOTHESIS_PROFILE=chance searches on.
settings.register_profile("steady", derandomize=True, database=None, deadline=None)
settings.register_profile("chance", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))

NO_SKIP = "HPAAUDIT_NO_SKIP"

LONGEST_FIRST = (
    "truth/test_truth.py",
    "simulation/test_simulation.py",
    "cli/test_printed_commands.py",
    "conformance/test_conformance.py",
    "recordings/test_holes.py",
    "fleet/test_kernel.py",
    "fleet/test_kinds.py",
    "cli/test_narrowed.py",
    "fleet/test_flow.py",
    "truth/test_produced.py",
    "recordings/test_changed_files.py",
)
"""The files that take longest. They begin first, so that at the end no worker waits for one of them."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Golden files are rewritten on demand only."""
    parser.addoption("--rewrite", action="store_true", help="write golden files anew; then read the diff")


def pytest_configure(config: pytest.Config) -> None:
    """Registers the marks of tests of golden files and of tests that run alone."""
    config.addinivalue_line("markers", "golden: compares with a golden file, or rewrites it")
    config.addinivalue_line("markers", "alone: what goes by short times, beside nothing that slows it")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One worker more than there are cores: while a test waits for a disk or a clock, another one has its core."""
    return (os.cpu_count() or 1) + 1


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The tests of the longest files first; the order of all others stays."""
    here = Path(__file__).parent
    place = {here / file: number for number, file in enumerate(LONGEST_FIRST)}
    items.sort(key=lambda item: place.get(item.path, len(place)))


@pytest.fixture(scope="session", autouse=True)
def state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What we remember of results lies in a folder of the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture
def rewrite(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are to be rewritten."""
    return bool(request.config.getoption("--rewrite"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A skipped test is a failure where nothing may be skipped."""
    report = yield
    if not hasattr(report, "wasxfail"):
        refuse_skip(report, item.nodeid)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """So is a whole file of them."""
    report = yield
    refuse_skip(report, collector.nodeid)
    return report


def refuse_skip(report: pytest.TestReport | pytest.CollectReport, name: str) -> None:
    """Says which was skipped, and why."""
    if report.outcome == "skipped" and os.environ.get(NO_SKIP, "0") not in ("", "0"):
        why = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"{name} was skipped, and {NO_SKIP} allows no skip. {why}"

"""`--rewrite`, and nothing else."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Golden files are rewritten on demand only."""
    parser.addoption("--rewrite", action="store_true", help="write golden files anew; then read the diff")


def pytest_configure(config: pytest.Config) -> None:
    """Tests of golden files can be chosen."""
    config.addinivalue_line("markers", "golden: compares with a golden file, or rewrites it")


@pytest.fixture
def rewrite(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are to be rewritten."""
    return bool(request.config.getoption("--rewrite"))

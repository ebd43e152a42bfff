"""The story of `story.py` as a results file, made once."""

from collections.abc import Iterator

import pytest

from hpaaudit.results.read import Results
from tests.results import story


@pytest.fixture(scope="session")
def story_results(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Results]:
    """The story, replayed and audited."""
    with story.results(tmp_path_factory.mktemp("story")) as results:
        yield results

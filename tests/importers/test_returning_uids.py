"""The captures of two clusters are no recording of one: objects of one name never take turns."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpaaudit.importers.capture import BadCapture
from hpaaudit.importers.returning_uids import MOST_STALE, ReturningUids
from tests.importers.lines import HPAS, get_line, hpa, items, read

KEY = ("horizontalpodautoscalers", "shop", "web")


def see_all(seen: ReturningUids, uids: list[str]) -> None:
    for uid in uids:
        seen.see(KEY, uid)


def web(uid: str) -> Any:
    return hpa(metadata={"name": "web", "namespace": "shop", "uid": uid})


def test_two_clusters_that_are_polled_in_turn_are_refused_with_what_to_do(tmp_path: Path) -> None:
    lines = [get_line(5 * n, HPAS, items(web("east" if n % 2 else "west"))) for n in range(20)]
    with pytest.raises(BadCapture) as error:
        read(tmp_path, *lines)
    assert "horizontalpodautoscalers shop/web has the uids east and west in turn" in str(error.value)
    assert "two clusters, import each for itself" in str(error.value)


def test_an_object_that_is_made_again_often_is_one_cluster(tmp_path: Path) -> None:
    lines = [get_line(5 * n, HPAS, items(web(f"uid-{n // 2}"))) for n in range(20)]
    assert len(read(tmp_path, *lines)) >= len(lines)


def test_an_answer_that_lags_shows_the_replaced_object_once_more(tmp_path: Path) -> None:
    lines = [get_line(5 * n, HPAS, items(web(uid))) for n, uid in enumerate(("old", "old", "new", "old", "new", "new"))]
    assert len(read(tmp_path, *lines)) >= len(lines)


@given(st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=40))
def test_a_name_is_refused_once_uids_returned_too_often(uids: list[str]) -> None:
    """A uid returns if it was seen before, and another one since."""
    known = [uid for uid in uids if uid]
    steps = [uid for n, uid in enumerate(known) if n == 0 or known[n - 1] != uid]
    returned = sum(uid in steps[:n] for n, uid in enumerate(steps))
    seen = ReturningUids()
    if returned <= MOST_STALE:
        see_all(seen, uids)
        return
    with pytest.raises(ValueError, match="in turn"):
        see_all(seen, uids)

"""`python -m tests.truth`: how our verdicts stand to the truth, by view and class; each wrong one in a line.

python -m tests.truth [--release 1.15 …] [--view outside …] [--every N] [FOLDER…]     folders of captures, else our own
python -m tests.truth --every 90 --offset 7 --page docs/truth.md                       keeps the figures of all views
"""

import argparse
import contextlib
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from tests.conformance.expected import captures, name_of, releases
from tests.truth.judged import Judged, judged_in
from tests.truth.page import page
from tests.truth.views import VIEWS

SHOWN = 20


def main() -> int:
    """Judges worlds, prints what came out; 1 where a verdict was wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--release", action="append", default=[])
    parser.add_argument("--view", action="append", default=[], choices=[*VIEWS, []])
    parser.add_argument("--world", default="", help="only worlds with this in their name")
    parser.add_argument("--every", type=int, default=1, help="one world in so many")
    parser.add_argument("--offset", type=int, default=0, help="the number of the first of these worlds")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--page", type=Path, help="write the figures of every view to this page")
    options = parser.parse_args()
    worlds = [path for folder in options.folders for path in sorted(folder.glob("*.capture.jsonl.gz"))]
    worlds = worlds or [path for release in options.release or releases() for path in captures(release)]
    worlds = [path for path in worlds if options.world in name_of(path)]
    by_view = judge(worlds[options.offset :: options.every], options.view or list(VIEWS), options.jobs)
    for view, judgement in by_view.items():
        sys.stdout.write(table(view, judgement))
    if options.page:
        options.page.write_text(page(by_view, options.every, options.offset), encoding="utf-8")
    return int(any(judgement.wrong or judgement.headlines for judgement in by_view.values()))


def judge(worlds: Sequence[Path], views: Sequence[str], jobs: int = 1) -> dict[str, Judged]:
    """The verdicts of many worlds together, by view.

    jobs   processes that share the worlds; one job is done in this process, and needs no other to start
    """
    total = {view: Judged() for view in views}
    with contextlib.ExitStack() as stack:
        pool = stack.enter_context(ProcessPoolExecutor(jobs, mp_context=get_context("spawn"))) if jobs > 1 else None
        for by_view in (pool.map if pool else map)(judged_in, worlds, [views] * len(worlds)):
            for view, one in by_view.items():
                total[view].add(one)
    return total


def table(view: str, judgement: Judged) -> str:
    """What a run prints."""
    lines = [
        f"{view}: {judgement.reconciles} reconciles, {judgement.proven} proven matches",
        f"  {judgement.changes} changes, {judgement.named} with a writer, {len(judgement.wrong)} wrong",
    ]
    lines += [f"  {count:7} {verdict:12} {name}" for (verdict, name), count in judgement.classes.most_common()]
    for what, texts in (
        ("wrong", judgement.wrong),
        ("unexplained", judgement.unexplained),
        ("headline", judgement.headlines),
    ):
        # One of each world: the others have the same cause.
        firsts = {text.partition(":")[0]: text for text in reversed(texts)}
        lines += [f"  {what}: {text}" for text in sorted(firsts.values())[:SHOWN]]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())

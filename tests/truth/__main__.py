"""`python -m tests.truth`: how our verdicts stand to the truth, by view and class; each wrong one in a line.

python -m tests.truth [--release 1.15 …] [--view outside …] [--every N] [FOLDER…]     folders of captures, else our own
python -m tests.truth --every 6 --page docs/truth.md                                  keeps the figures of all views
"""

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from tests.conformance.expected import captures, name_of, releases
from tests.truth.judged import Judged, judged
from tests.truth.page import page
from tests.truth.views import VIEWS

SHOWN = 20


def main() -> int:
    """Judge worlds, print what came out; 1 where a verdict was wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--release", action="append", default=[])
    parser.add_argument("--view", action="append", default=[], choices=[*VIEWS, []])
    parser.add_argument("--world", default="", help="only worlds with this in their name")
    parser.add_argument("--every", type=int, default=1, help="one world in so many")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--page", type=Path, help="write the figures of every view to this page")
    options = parser.parse_args()
    worlds = [path for folder in options.folders for path in sorted(folder.glob("*.capture.jsonl.gz"))]
    worlds = worlds or [path for release in options.release or releases() for path in captures(release)]
    worlds = [path for path in worlds if options.world in name_of(path)]
    wrong = 0
    judged_by_view: dict[str, Judged] = {}
    for view in options.view or VIEWS:
        judgement = judged_by_view[view] = judge(worlds[:: options.every], view, options.jobs)
        sys.stdout.write(table(view, judgement))
        wrong += len(judgement.wrong)
        if options.page:
            options.page.write_text(page(judged_by_view, options.every), encoding="utf-8")
    return int(wrong > 0)


def judge(worlds: Sequence[Path], view: str, jobs: int = 1) -> Judged:
    """The verdicts of many worlds together."""
    total = Judged()
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        for one in pool.map(judged, worlds, [view] * len(worlds), chunksize=4):
            total.add(one)
    return total


def table(view: str, judgement: Judged) -> str:
    """What a run prints."""
    lines = [
        f"{view}: {judgement.reconciles} reconciles, {judgement.proven} proven matches",
        f"  {judgement.changes} changes, {judgement.named} with a writer, {len(judgement.wrong)} wrong",
    ]
    lines += [f"  {count:7} {verdict:12} {name}" for (verdict, name), count in judgement.classes.most_common()]
    for what, texts in (("wrong", judgement.wrong), ("unexplained", judgement.unexplained)):
        # One of each world: the others have the same cause.
        firsts = {text.partition(":")[0]: text for text in reversed(texts)}
        lines += [f"  {what}: {text}" for text in sorted(firsts.values())[:SHOWN]]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())

"""Plays a week in small on a real cluster, and holds what hpaaudit says to what was done.

    python -m tests.cluster.week [--incidents 48] [--seed 1] [--into FOLDER] [--page docs/week.md]
    python -m tests.cluster.week --judge FOLDER      joins a week again that was played into a folder

At least twenty kinds of incidents, many at once, over more than twenty HPAs. The labels are a file that the audit never
reads. Prints the confusion matrix; 1 where a kind is told less well than asked.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random

from hpaaudit.results.read import open_results
from tests.cluster import incident
from tests.cluster.recorder import ROOT, command
from tests.cluster.week import figures
from tests.cluster.week.controller import OUTAGES
from tests.cluster.week.joined import REASONS, Joined, join
from tests.cluster.week.kinds import KINDS
from tests.cluster.week.page import mistakes, page
from tests.cluster.week.played import POOL, assigned, play, read, workloads
from tests.cluster.week.said import statements


def replay(folder: Path) -> tuple[Joined, list[tuple[str, str, int]]]:
    """What the audit says of a folder's recording, joined with what was done, and its verdicts."""
    recording = folder / "recording"
    replayed = command("replay", str(recording), "--detail", "pods", *incident.DECLARED)
    subprocess.run(replayed, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    with open_results(recording / "results.duckdb") as results:
        return join(read(folder), statements(results, REASONS)), figures.verdicts(results)


def main() -> int:
    """Plays, replays, joins, prints; 1 where it is not as good as asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--incidents", type=int, default=48)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", action="append", default=[], choices=[*KINDS, *OUTAGES, []], help="only these kinds")
    parser.add_argument("--into", type=Path, help="keep recording and labels in this folder")
    parser.add_argument("--judge", type=Path, help="play nothing: join what was played into this folder")
    parser.add_argument("--page", type=Path, help="write the page with the figures")
    given = parser.parse_args()
    pool = workloads(POOL)
    with tempfile.TemporaryDirectory(prefix="week-") as temporary:
        folder = given.judge or given.into or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        if not given.judge:
            chance = Random(given.seed)  # noqa: S311 (a seed makes a week)
            names = given.kind or [*KINDS, *OUTAGES]
            outages = [name for name in OUTAGES if name in names]
            chance.shuffle(outages)
            plan = assigned(chance, pool, [name for name in KINDS if name in names], given.incidents - len(outages))
            play(folder, plan, outages, chance)
        joined, counted = replay(folder)
    sys.stdout.write("".join(f"{line}\n" for line in (*figures.matrix(joined), "", *mistakes(joined), "")))
    sys.stdout.write("".join(f"{n:7} {verdict:12} {name}\n" for verdict, name, n in counted))
    if given.page:
        given.page.write_text(page(joined, counted, seed=given.seed, hpas=len(pool)), encoding="utf-8")
    return int(not figures.is_as_good_as_asked(joined, counted))


if __name__ == "__main__":
    sys.exit(main())

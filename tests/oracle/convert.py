"""HPAs drawn by chance through the API server's own code: refused, or converted to every version that it serves.

python -m tests.oracle.convert --release 1.37 --count 5000 [--keep 250]
"""

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.api.converted import differences
from tests.api.random_hpas import hpa
from tests.oracle.controller import prepare, program, releases
from tests.oracle.draw import Json

KEPT = Path(__file__).parents[1] / "api" / "converted"
OF_RELEASE = {
    "1.23": ("autoscaling/v2beta1", "autoscaling/v2beta2"),
    "1.37": ("autoscaling/v1", "autoscaling/v2"),
}
"""The versions that a release is the judge of: of the newest ones that serve them, those that we build."""


def judged(release: str, objects: list[Json]) -> Iterator[Json]:
    """What the API server of a release makes of each object."""
    prepare(release)
    with tempfile.TemporaryDirectory() as folder:
        given, told = Path(folder) / "in.jsonl", Path(folder) / "out.jsonl"
        given.write_text("".join(f"{json.dumps(each)}\n" for each in objects), "utf-8")
        subprocess.run(
            [program(release), "-test.run", "TestConvert"],
            env={
                **os.environ,
                "ORACLE_OBJECTS": str(given),
                "ORACLE_CONVERTED": str(told),
            },
            cwd=program(release).parent,
            check=True,
            capture_output=True,
        )
        yield from (json.loads(line) for line in told.read_text("utf-8").splitlines())


def main() -> int:
    """Draws, asks the judge, compares, and keeps the first of them as data of tests if that is wanted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--release", default="1.37", choices=sorted({*OF_RELEASE} & {*releases()}))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--keep", type=int, default=0, help="write so many to tests/api/converted")
    options = parser.parse_args()
    versions = OF_RELEASE[options.release]
    objects = [hpa(seed, versions[seed % len(versions)]) for seed in range(options.seed, options.seed + options.count)]
    rows = list(judged(options.release, objects))
    differing = [text for row in rows for text in differences(row)]
    sys.stdout.write(
        f"release {options.release}: {len(rows)} HPAs, {sum(bool(row['errors']) for row in rows)} refused, "
        f"{sum(len(row['to']) for row in rows)} conversions, {len(differing)} differences\n"
    )
    sys.stdout.writelines(f"{text}\n" for text in differing[:10])
    if options.keep:
        text = "".join(f"{json.dumps(row)}\n" for row in rows[: options.keep])
        KEPT.mkdir(exist_ok=True)
        (KEPT / f"{options.release}.jsonl.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())

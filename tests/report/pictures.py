"""Draws the pictures of docs/report.md from the demo's incident: `make picture` (Chromium of `make browser`)."""

import asyncio
import os
import shutil
import sys
import tempfile
from pathlib import Path

from hpaaudit.flows.replay import replay
from hpaaudit.flows.report import report
from hpaaudit.report.page.html import page
from tests.report.browser import Window, visit

ROOT = Path(__file__).parents[2]
PICTURES = {
    "report.png": Window(width=1100, height=1240),
    "report-dark.png": Window(width=390, height=844, scheme="dark"),
}
DRAWN = """(async () => {
    while (!document.querySelector(".reconcile dl")) await new Promise(requestAnimationFrame);
    for (let frame = 0; frame < 10; frame++) await new Promise(requestAnimationFrame);
})()"""


def main() -> None:
    """Writes the pictures into `docs/`."""
    program = shutil.which("chromium")
    if program is None:
        sys.stderr.write("docs/report.png is not drawn again: Chromium is not here (make browser)\n")
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        os.chdir(ROOT)  # so that the page names the recording as a user in the checkout would
        replay(Path("recordings") / "scaled-by-hand", into=Path(folder) / "demo.duckdb").close()
        path.write_text(page(report(Path(folder) / "demo.duckdb")), "utf-8")
        for name, window in PICTURES.items():
            visited = asyncio.run(visit(program, path, Path(folder) / name, script=DRAWN, window=window))
            (ROOT / "docs" / name).write_bytes(visited.picture)
            sys.stderr.write(f"wrote docs/{name}\n")


if __name__ == "__main__":
    main()

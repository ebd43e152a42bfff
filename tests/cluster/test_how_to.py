"""The how-tos that need a cluster, run on one: every command of theirs, by bash."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cluster.cluster import Cluster
from tests.cluster.tools import find

PAGES = Path(__file__).parents[2] / "docs" / "how-to"
SOONER = {
    "--for 30m": "--for 6s",
    "--for 10m": "--for 6s",
    "sleep 5": "sleep 1",
    "$(seq 360)": "1 2 3 4",
    "# deploy here, as you always do": "",
}
"""Nobody waits for half an hour here."""


@pytest.mark.parametrize(
    ("page", "recording"), [("record.md", "friday"), ("import.md", "saved"), ("gitops.md", "deploy-check")]
)
def test_every_command_of_a_how_to_works_on_a_cluster(
    page: str, recording: str, cluster: Cluster, namespace: str, create: Callable[..., None], tmp_path: Path
) -> None:
    """In a namespace of the test's own, where the page says `shop`."""
    script = "\n".join(re.findall(r"^```sh\n(.*?)^```$", (PAGES / page).read_text("utf-8"), re.MULTILINE | re.DOTALL))
    for words, instead in {**SOONER, "-n shop": f"-n {namespace}", "/shop/": f"/{namespace}/"}.items():
        script = script.replace(words, instead)
    programs = f"{Path(find('kubectl')).parent}:{Path(sys.executable).parent}"
    environment = {
        **os.environ,
        "PATH": f"{programs}:{os.environ['PATH']}",
        "KUBECONFIG": str(cluster.dir / "admin.kubeconfig"),
    }
    create("checkout")
    completed = subprocess.run(
        ["bash", "-euc", script], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert completed.returncode == 0, completed.stdout + completed.stderr
    assert (tmp_path / recording / "results.duckdb").exists()

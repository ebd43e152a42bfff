"""The recordings that come with the program are those of `recordings/`, and each has what its page says of it."""

import re
from pathlib import Path

from hpaaudit.flows.bundled import bundled_recording, bundled_recordings

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^\| \[([\w.-]+)\]\(\1/README\.md\) \| (.*) \|$", re.MULTILINE)


def test_the_list_names_every_recording_with_the_words_of_its_page() -> None:
    assert bundled_recordings() == dict(ROW.findall((ROOT / "recordings" / "README.md").read_text("utf-8")))
    folders = {path.parent.name for path in ROOT.glob("recordings/*/recording.json")}
    assert bundled_recordings().keys() == folders
    for name in folders:
        assert (ROOT / "recordings" / name).resolve() == bundled_recording(name)

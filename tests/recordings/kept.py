"""The recordings that come with the program."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
RECORDINGS = {path.parent.name: path.parent for path in sorted(ROOT.glob("recordings/*/recording.json"))}
"""The folder of each, by name."""

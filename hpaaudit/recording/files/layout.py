"""The names of the files and folders of a recording. All are relative to the recording's folder."""

RECORDING = "recording.json"
END = "end.json"
LOCK = "lock"
"""The file that is locked where the folder itself cannot be: NFS locks only files that are open for writing."""
BALLAST = "ballast"
SEGMENTS = "segments"
LOGS = "log"
QUARANTINE = "quarantine"

# In the folder of a segment
MANIFEST = "manifest.json"
UPLOADED = "uploaded"
PARQUET_SUFFIX = ".parquet"

# In the folder of segments
SEALED_PATTERN = "[0-9]" * 6
"""Matches the folders of finished segments; an unfinished one ends in `.tmp`."""
BASE_SUFFIX = ".base"
"""A segment that replaces removed ones, until it gets the name of the last of them."""
REMOVED_SUFFIX = ".removed"
REPAIRED_SUFFIX = ".repaired"
"""A segment that replaces a damaged one, until it gets that one's name."""

LOG_SUFFIX = ".wal"
UNFINISHED_SUFFIX = ".tmp"
FOREIGN_SUFFIX = ".foreign"
"""Added to the name of anything that is not ours and has a name that we need. It is moved away, never written into."""

LOST_AND_FOUND = "lost+found"
"""The root folder of a new ext4 volume has it."""


def segment_name(number: int) -> str:
    """The folder of a segment."""
    return f"{SEGMENTS}/{number:06d}"


def log_name(number: int) -> str:
    """The log file of a segment that is not sealed yet."""
    return f"{LOGS}/{number:06d}{LOG_SUFFIX}"

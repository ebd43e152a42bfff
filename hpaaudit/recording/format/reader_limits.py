"""The largest size of each part of a recording. Readers refuse anything larger before they unpack it."""

SEGMENT_BYTES = 256 << 20
"""Size of a segment's files, and of one file unpacked. Writers seal a segment when its rows take 64 MB in memory
(`writer.BYTE_BUDGET`); four times as much leaves room for the last fact."""

SEGMENT_VALUES = 12 << 20
"""Values of a segment: rows times columns. At 8 bytes each, 64 MB are 8 million; the last answer may have samples of
100,000 pods with two containers each."""

SEGMENT_FACTS = 2 << 20
"""Facts of a segment. The smallest frequent ones, lines of reconciles, take 40 bytes each of those 64 MB."""

DOCUMENT_BYTES = 1 << 20
"""Size of `recording.json`, a manifest or `end.json`. Ours have less than 10 kB."""

LOG_BYTES = SEGMENT_BYTES
"""Size of a log: it holds no more than the segment that it becomes."""

NAMES = 1 << 20
"""Number of names in a folder: a segment each hour for a century."""

FOREIGN_NAMED = 1000
"""Number of foreign files that are named. The rest is counted."""

FOOTER_BYTES = 1 << 20
"""Size of the footer of a Parquet file. Ours have less than 20 kB."""

COLUMNS = 64
"""Columns of a Parquet file. Our widest table has 20."""

ROW_GROUPS = 64
"""Row groups of a Parquet file. We write one."""

PAGES = 1 << 16
"""Pages of a column. We write one for about each MB."""

JSON_DEPTH = 100
"""Levels of nested JSON. An HPA has seven; many more would be a risk for decoders that use recursion."""

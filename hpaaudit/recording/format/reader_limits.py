"""How much a recording may claim before its readers refuse it: each number with where it comes from."""

SEGMENT_BYTES = 256 << 20
"""Of a segment: of its files, of the numbers in its rows, and of one file unpacked. Writers seal a segment when its
rows take 64 MB in memory (`write.BYTE_BUDGET`); four times as much leaves room for the fact that came last."""

SEGMENT_VALUES = 12 << 20
"""Of a segment: rows times columns. At 8 bytes each, 64 MB are 8 million; the last answer may be one of 100,000 pods
with two containers each."""

SEGMENT_FACTS = 2 << 20
"""Of a segment: the smallest that come often, lines of reconciles, take 40 bytes each of those 64 MB."""

DOCUMENT_BYTES = 1 << 20
"""Of `recording.json`, a manifest or `end.json`: ours have less than 10 kB."""

LOG_BYTES = SEGMENT_BYTES
"""Of a log: it holds no more than the segment that it becomes."""

NAMES = 1 << 20
"""Of names in a folder: a segment each hour for a century."""

FOREIGN_NAMED = 1000
"""Of foreign files that are named; the rest is counted."""

FOOTER_BYTES = 1 << 20
"""Of what a Parquet file says of itself at its end: ours says less than 20 kB."""

COLUMNS = 64
"""Of a Parquet file; our widest table has 20."""

ROW_GROUPS = 64
"""Of a Parquet file: we write one."""

PAGES = 1 << 16
"""Of a Parquet file: we write one for about each MB of a column."""

JSON_DEPTH = 100
"""How deep JSON may be nested. An HPA has seven levels; far more would be felt by whoever decodes it by recursion."""

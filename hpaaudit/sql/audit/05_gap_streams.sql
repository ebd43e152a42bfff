-- Which stream does each gap hide?
-- Fills runs.coverage_gaps.stream from its path prefix.
update runs.coverage_gaps
set stream = gap_stream(prefix);

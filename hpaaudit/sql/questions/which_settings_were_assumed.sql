-- Which settings of the controller were assumed, and which of them are only defaults?
-- One row per setting, the least certain first.
-- Asked: Can I trust this?
-- Columns:
--   key: the flag, or release
--   value: the value that the replay used
--   source: observed (the recording shows it), inferred (from the recording), user (an option), declared (replay --declare) or default
select key, value, source
from assumptions
order by list_position(['default', 'inferred', 'declared', 'user', 'observed'], source), key;

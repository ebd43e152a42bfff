"""Opens a recording and reads facts or columns."""

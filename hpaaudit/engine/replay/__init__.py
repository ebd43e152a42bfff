"""The reconciles of a recording: when each took place, what it may have read, and what it decided."""

"""The reconciles that a fleet decides: when they took place, and what became of their writes."""

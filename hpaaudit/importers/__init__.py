"""REMEMBERS: history that somebody else kept, turned into facts."""

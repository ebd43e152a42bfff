"""Writes segments and the write-ahead log."""

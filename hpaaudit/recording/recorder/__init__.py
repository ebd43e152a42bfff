"""Writes a recording for months: crash recovery, a full disk, retention, upload."""

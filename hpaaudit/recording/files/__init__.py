"""Safe access to files: names, opening, writing to the disk for good, locking."""

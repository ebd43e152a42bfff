"""The report as one HTML page that opens offline, reads without scripts, and can be printed."""

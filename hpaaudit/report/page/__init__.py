"""The report as one HTML page that opens offline, needs no script, and can be printed."""

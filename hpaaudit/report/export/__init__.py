"""The report in formats of other tools: Markdown for a ticket, JUnit for CI, a trace for Perfetto."""

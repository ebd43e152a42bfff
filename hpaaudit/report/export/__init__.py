"""The report in formats of other tools: Markdown for a ticket, JUnit and SARIF for CI, a trace for Perfetto."""

"""A week in small on a real cluster, written down by who made it, and what the audit says to it."""

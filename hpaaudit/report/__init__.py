"""Words values as text for people, and as JSON."""

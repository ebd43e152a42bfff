"""One-token changes to the controller's arithmetic, each of which a test must notice."""

"""Sees: the only room that talks to an API server."""

"""Checks rows and tables against the format."""

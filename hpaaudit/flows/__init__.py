"""Connects rooms: each flow is a command, importable as a function."""

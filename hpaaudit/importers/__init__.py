"""Turns captures, which somebody kept without a recorder, into facts."""

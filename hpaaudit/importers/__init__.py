"""Turns captures, API answers that were saved without a recorder, into facts."""

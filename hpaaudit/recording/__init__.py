"""Keeps: the one room that knows the files of a recording."""

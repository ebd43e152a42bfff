"""Answers: the one room that opens DuckDB, and asks it what lies in sql/."""

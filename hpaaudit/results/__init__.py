"""Writes results files and answers from them, by the queries in `sql/`: the only package that imports DuckDB."""

"""The last state of each watched object: stores that reflectors fill and that emit a fact for every change."""

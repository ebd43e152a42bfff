"""Verdicts against the truth: worlds that the real controller decided, shown to us in whole or in part."""

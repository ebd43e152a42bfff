"""DECIDES: the HPA controller as pure functions; no clock, no file, no network, no chance."""

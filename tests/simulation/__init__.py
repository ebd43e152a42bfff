"""A simulated world: one process, one virtual time, faults at every step, and a ledger of what was true."""

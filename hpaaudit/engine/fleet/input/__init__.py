"""The tables of a recording as arrays: decoded once, kept from slice to slice as long as a reconcile may need them."""

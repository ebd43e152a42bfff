"""The columns that pass between the steps of a fleet, and the codes in them."""

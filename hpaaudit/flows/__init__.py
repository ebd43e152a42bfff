"""The flows: one function for each command. A flow passes values from one package to the next."""

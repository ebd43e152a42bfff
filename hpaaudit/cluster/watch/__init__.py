"""List and watch of one collection, as by the reflector of client-go, and the gaps in what it saw."""

"""JSON of API objects, decoded into the few fields that are read; what cannot be decoded is described."""

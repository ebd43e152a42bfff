"""A whole fleet over columns: the rules of `engine.rules`, compiled, for thousands of HPAs at once."""

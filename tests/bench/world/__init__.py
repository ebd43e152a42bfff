"""A made-up world of HPAs, their pods and what their metrics say, step by step, all of it by columns."""

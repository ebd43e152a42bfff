"""Changes what is already written: removes old segments, repairs damaged ones, marks uploaded ones."""

"""The controller's arithmetic as scalar functions over ints and floats, a verb a file.

CPython and a compiler run this same source: no objects, no None, whole numbers as Go's int64 or
int32, floats as IEEE doubles in upstream's order of operations. Times are microseconds.
"""

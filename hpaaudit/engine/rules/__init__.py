"""The rules of the controller, a verb a file: functions of numbers that both engines call.

CPython and a compiler run this same source: no objects, no strings, no None, whole numbers as Go's int64 or int32,
floats as IEEE doubles in upstream's order of operations. What travels together is a NamedTuple of numbers and
sequences. Times are microseconds. A rule that differs between releases asks `behaviours.Rules`.
"""

"""The rules of the controller: functions of numbers that both engines call.

Upstream is `pkg/controller/podautoscaler` of Kubernetes. A docstring names the file there and the function, as they are
called in 1.36; files without a folder are in that one. A release in brackets is the first that has a rule, with the
pull request where it is known. A rule without one holds for every release that we decide, 1.1 to 1.38.

CPython and a compiler run this same source. So a rule takes no objects, no text and no None: whole numbers are Go's
int64 or int32, floats are IEEE doubles in upstream's order of operations, and what travels together is a NamedTuple of
numbers and sequences. Times are microseconds. A rule that differs between releases asks
`behaviours.in_force.Behaviours`.
"""

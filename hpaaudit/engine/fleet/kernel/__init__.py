"""One reconcile over columns: the functions that numba compiles and CPython runs alike."""

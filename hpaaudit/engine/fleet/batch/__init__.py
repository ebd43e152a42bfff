"""One slice of a recording as one batch for the kernel, with room for what it decides."""

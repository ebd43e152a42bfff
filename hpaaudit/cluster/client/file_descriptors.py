"""Limits the requests in flight, so that file descriptors are left for the log and the segments."""

import resource
from contextlib import suppress

WANTED = 4096
"""Enough for thousands of requests in flight."""
RESERVED = 192
"""For the log, a segment and its upload, probes and scrapes, the pipes of a plugin, and the watches."""
LEAST = 16


def raise_limit() -> int:
    """Raises the soft limit of this process towards its hard limit; the soft limit after that."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = WANTED if hard == resource.RLIM_INFINITY else min(WANTED, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
    return WANTED if soft == resource.RLIM_INFINITY else soft


def requests_at_once() -> int:
    """How many requests may be in flight at once."""
    return max(LEAST, min(raise_limit(), WANTED) - RESERVED)

"""The most memory that a process of its own held, as Linux counts it since the process began."""

PEAK_MEGABYTES = """
def peak_megabytes():
    (line,) = [line for line in open("/proc/self/status") if line.startswith("VmHWM:")]
    return int(line.split()[1]) // 1024
"""
"""To be put before a program that a test starts: `ru_maxrss` would begin with what the test's own process holds."""

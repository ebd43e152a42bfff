"""Stabilizes a recommendation with the recent ones (`stabilizeRecommendation…`)."""


def counts_plain(at_us: int, now_us: int, window_us: int) -> bool:
    """Without a behavior a recommendation exactly as old as the window still counts."""
    return at_us >= now_us - window_us


def counts(at_us: int, now_us: int, window_us: int) -> bool:
    """With a behavior one exactly as old as the window no longer counts."""
    return at_us > now_us - window_us


def reusable(at_us: int, now_us: int, up_window_us: int, down_window_us: int) -> bool:
    """Older than both windows: its slot is used again."""
    return at_us < now_us - up_window_us and at_us < now_us - down_window_us


def envelope(current: int, lowest: int, highest: int) -> int:
    """Current replicas, moved no further than the windows agree on (1.21)."""
    stabilized = current
    stabilized = max(stabilized, lowest)
    return min(stabilized, highest)

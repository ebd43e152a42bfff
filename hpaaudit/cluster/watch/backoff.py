"""When a reflector tries again: exponential backoff with jitter, as in client-go."""

import asyncio
import random
from dataclasses import dataclass, field

FIRST_DELAY, LONGEST_DELAY = 0.8, 30.0  # client-go's backoff of a reflector
HEALTHY_SECONDS = 10
"""A watch that stood this long was healthy: the delay starts anew.

client-go asks for 120 s of health. Behind a proxy that cuts every minute we would then miss half of the time.
"""
IMMEDIATE_RETRY_SECONDS = 10
"""How often a failure may be retried without a delay, such as an expired version or a server that restarts."""
MAX_FRUITLESS_ATTEMPTS = 5
"""After this many attempts without a newer event the resource version is no longer trusted."""


@dataclass(slots=True)
class Backoff:
    """The delays of one reflector.

    delay       before the next attempt, in seconds, without jitter
    retried_at  when an attempt last followed without a delay
    fruitless   attempts in a row that brought nothing newer
    """

    delay: float = field(default_factory=lambda: FIRST_DELAY)
    retried_at: float = -float(IMMEDIATE_RETRY_SECONDS)
    fruitless: int = 0

    def may_retry_at_once(self) -> bool:
        """Whether to try again without a delay. Never twice within IMMEDIATE_RETRY_SECONDS."""
        now = asyncio.get_running_loop().time()
        may_retry, self.retried_at = now - self.retried_at >= IMMEDIATE_RETRY_SECONDS, now
        return may_retry

    def made_progress(self) -> None:
        """Reset the count of failed attempts, because one brought something newer."""
        self.fruitless = 0

    def distrusts_version(self) -> bool:
        """Count a failed attempt. True if the resource version itself may be the reason.

        A server that was restored from an older backup refuses our version for ever.
        """
        self.fruitless += 1
        if self.fruitless < MAX_FRUITLESS_ATTEMPTS:
            return False
        self.fruitless = 0
        return True

    async def wait(self, watched_seconds: float, retry_seconds: float) -> None:
        """Sleep before the next attempt: at least for `retry_seconds`, which the server may ask for."""
        if watched_seconds >= HEALTHY_SECONDS:
            self.delay = FIRST_DELAY
        jitter = 1 + random.random()  # noqa: S311  # spreads the load
        await asyncio.sleep(max(retry_seconds, self.delay * jitter))
        self.delay = min(self.delay * 2, LONGEST_DELAY)

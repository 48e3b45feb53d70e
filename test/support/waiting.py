"""Tests wait for a condition with a deadline, and say what they waited for; they never sleep and hope."""

import time

POLL_SECONDS = 0.05


def wait_until(condition, deadline, what):
    """Calls `condition` until it returns something true, and returns that; fails after `deadline` seconds.

    `what` is a text, or a callable that makes one, so that it can tell the last state that was seen.
    """
    end = time.monotonic() + deadline
    while True:
        answer = condition()
        if answer:
            return answer
        if time.monotonic() > end:
            text = what() if callable(what) else what
            raise AssertionError(f"waited {deadline} s in vain for {text}")
        time.sleep(POLL_SECONDS)

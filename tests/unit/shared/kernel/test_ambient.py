"""The machine's own time and chance."""

import time
from datetime import timedelta

from shared.kernel.ambient import EPOCH, SystemClock, SystemEntropy


def test_now_is_the_machines_present_in_utc():
    before, now, after = time.time(), SystemClock().now(), time.time()
    assert before - 0.001 <= (now - EPOCH).total_seconds() <= after
    assert now.utcoffset() == timedelta(0)


def test_tokens_have_their_size_and_differ():
    tokens = {SystemEntropy().token(16) for _ in range(50)}
    assert (len(tokens), {len(token) for token in tokens}) == (50, {16})


def test_uniform_numbers_keep_to_their_bounds():
    numbers = [SystemEntropy().uniform(2, 3) for _ in range(50)]
    assert 2 <= min(numbers) < max(numbers) <= 3

"""A million guesses at guests' links, of each kind that somebody may think of: nothing is given away."""

import asyncio
from collections import Counter
from datetime import timedelta
from random import Random

import pytest

from shared.domain.secret import Secret
from shared.usecases.guests.guesses import COUNTS, GUESSES, MOST_OF_ALL
from shared.usecases.guests.services import NothingGiven
from shared.usecases.guests.sign_in import Visit, sign_in
from tests.support.guests import GUEST, issued, link_to, serving
from tests.support.sample_hotel import play

GUESSED, AT_ONCE = 1_000_000, 5_000
LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
ULID = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
PHONE = "5121"


def guesses(draw, known, key):
    """Yield links: by chance, one letter beside a real one, parts of real ones, and keys' ids."""
    while True:
        real, at = draw.choice(known), draw.randrange(22)
        other = draw.choice(LETTERS.replace(real[at], ""))
        yield "".join(draw.choices(LETTERS, k=22))
        yield real[:at] + other + real[at + 1 :]
        yield real.swapcase() if real.swapcase() != real else real[::-1]
        yield key[:-6] + "".join(draw.choices(ULID, k=5)) + ("0" if key[-1] != "0" else "1")


async def says_nothing(answer):
    """Say whether somebody is refused, and told nothing: what pytest has for it costs a sixth of a guess."""
    try:
        await answer
    except NothingGiven as nothing:
        return str(nothing) == ""
    return False


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_a_million_guesses_open_nothing_and_cost_a_bounded_number_of_documents(tmp_path):
    async def scenario(house):
        on, draw = serving(house), Random(7)
        await house.publish("evt_1", guest=GUEST)
        await asyncio.sleep(5)
        key, _ = await issued(house)
        known = [(await link_to(house, key, lasts=timedelta(days=1))).reveal() for _ in range(50)]
        tried, let_in = 0, 0
        guess = guesses(draw, known, key)

        async def one():
            visit = Visit(Secret(next(guess)), proof=PHONE, address=f"2001:db8::{draw.randrange(2**32):x}")
            assert await says_nothing(sign_in(visit, on))

        while tried < GUESSED:
            for _ in range(AT_ONCE):
                await one()
            tried += AT_ONCE
            let_in += len(await house.documents("guest_sessions"))
            counted = await house.documents(GUESSES)
            spans = Counter(name.rpartition(".")[2] for name in counted)
            assert max(spans.values()) <= COUNTS + 1
            assert max(each["times"] for each in counted.values()) <= MOST_OF_ALL
            await asyncio.sleep(10)
        assert let_in == 0
        assert house.logged("ALERT")
        # Whoever has a link comes in all the while, from wherever the others guess.
        await sign_in(Visit(await link_to(house, key), proof=PHONE, address="2001:db8::1"), on)

    play(tmp_path, scenario)

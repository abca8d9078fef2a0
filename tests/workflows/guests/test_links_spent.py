"""A link lets a guest in once: by a session or a second fact, and whoever else tries hears the same."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from shared.domain.secret import Secret
from shared.ledger.guest_tokens import MOST_WRONG, PRINTED, GuestSessions, GuestTokens, draw_token
from shared.usecases.guests.guesses import COUNTS, GUESSES, MOST_OF_ALL, MOST_OF_ONE
from shared.usecases.guests.services import NothingGiven
from shared.usecases.guests.sign_in import Visit, folded, sign_in
from tests.support.guests import GUEST, issued, link_to, serving
from tests.support.sample_hotel import play

PHONE = "5121"


async def booked(house):
    await house.publish("evt_1", guest=GUEST)
    await asyncio.sleep(5)
    key, _ = await issued(house)
    return key


async def refused(visit, on):
    with pytest.raises(NothingGiven) as no:
        await sign_in(visit, on)
    return str(no.value)


def test_a_link_is_spent_once_and_its_session_goes_on(tmp_path):
    async def scenario(house):
        on = serving(house)
        key = await booked(house)
        token, second = await link_to(house, key), await link_to(house, key, channel="sms")
        signed = await sign_in(Visit(token, proof="۵۱۲۱"), on)
        assert (signed.reservation, signed.credential) == ("rsv_1", key)
        # The same link, from another device; the guest's own device; the guest's other link.
        assert await refused(Visit(token, proof=PHONE), on) == ""
        assert (await sign_in(Visit(token, signed.begun), on)).begun is None
        assert (await sign_in(Visit(second, signed.begun), on)).begun is None
        assert await refused(Visit(second, proof=PHONE), on) == ""
        assert sum("spent link" in each["message"] for each in house.logged("WARNING")) == 2

    play(tmp_path, scenario)


def test_of_many_who_spend_a_link_at_once_exactly_one_is_let_in(tmp_path):
    async def scenario(house):
        on = serving(house)
        token = await link_to(house, await booked(house))
        tries = (sign_in(Visit(token, proof="RSV_1"), on) for _ in range(20))
        outcomes = await asyncio.gather(*tries, return_exceptions=True)
        assert sum(not isinstance(each, Exception) for each in outcomes) == 1
        assert all(isinstance(each, NothingGiven) for each in outcomes if isinstance(each, Exception))

    play(tmp_path, scenario)


def test_whoever_tries_many_numbers_at_once_at_a_printed_code_has_tried_one(tmp_path, monkeypatch):
    find, all_read = GuestTokens.find, asyncio.Barrier(21)

    async def found_by_all(tokens, token):
        kept = await find(tokens, token)
        await all_read.wait()
        return kept

    async def scenario(house):
        on, key = serving(house), Secret(await booked(house))
        kept = await GuestTokens(on.documents).find(await link_to(house, key.reveal()))
        await GuestTokens(on.documents).keep(key, replace(kept, channel=PRINTED, version=None))
        guesses = (*(f"{number:04d}" for number in range(20)), PHONE)
        tries = (sign_in(Visit(key, proof=guess), on) for guess in guesses)
        with monkeypatch.context() as patch:
            patch.setattr(GuestTokens, "find", found_by_all)
            outcomes = await asyncio.gather(*tries, return_exceptions=True)
        assert {type(each) for each in outcomes} == {NothingGiven}
        assert (await GuestTokens(on.documents).find(key)).wrong == 1
        assert (await sign_in(Visit(key, proof=PHONE), on)).begun is not None

    play(tmp_path, scenario)


@pytest.mark.parametrize("dies", [(GuestSessions, "begin"), (GuestTokens, "change")])
def test_whoever_dies_while_a_link_is_spent_leaves_it_good(tmp_path, monkeypatch, dies):
    async def scenario(house):
        on = serving(house)
        token = await link_to(house, await booked(house))

        async def crash(*_):
            raise RuntimeError("the instance is gone")

        with monkeypatch.context() as crashing:
            crashing.setattr(*dies, crash)
            with pytest.raises(RuntimeError):
                await sign_in(Visit(token, proof=PHONE), on)
        signed = await sign_in(Visit(token, proof=PHONE), on)
        assert (await sign_in(Visit(token, signed.begun), on)).begun is None

    play(tmp_path, scenario)


def test_after_five_wrong_facts_a_link_leads_to_the_desk_only(tmp_path):
    async def scenario(house):
        on = serving(house)
        key = await booked(house)
        token = await link_to(house, key)
        for _ in range(3):
            await refused(Visit(token), on)  # nothing said is no guess
        for guess in range(MOST_WRONG):
            await refused(Visit(token, proof=f"000{guess}"), on)
        await refused(Visit(token, proof=PHONE), on)
        signed = await sign_in(Visit(await link_to(house, key), proof=PHONE), on)
        await refused(Visit(token, signed.begun), on)

    play(tmp_path, scenario)


def test_a_link_ends_with_its_stay_and_a_session_opens_no_other_stay(tmp_path):
    async def scenario(house):
        on = serving(house)
        key = await booked(house)
        token = await link_to(house, key)
        of_another = await link_to(house, key, stay="rsv_2")
        signed = await sign_in(Visit(token, proof=PHONE), on)
        await refused(Visit(of_another, signed.begun), on)
        await asyncio.sleep(timedelta(hours=3).total_seconds())
        await refused(Visit(token, signed.begun), on)
        await refused(Visit(await link_to(house, key), signed.begun), on)

    play(tmp_path, scenario)


def test_whoever_guesses_links_wakes_somebody_shuts_out_nobody_and_writes_no_more_than_so_much(tmp_path):
    async def scenario(house):
        on = serving(house)
        key = await booked(house)
        for address in range(2 * MOST_OF_ALL):
            for _ in range(MOST_OF_ONE + 5):
                await refused(Visit(draw_token(on.entropy), address=f"192.0.2.{address}"), on)
        (alert,) = house.logged("ALERT")
        assert alert["runbook"] == "guests/guessed-links"
        counts = await house.documents(GUESSES)
        assert MOST_OF_ALL < len(counts) <= COUNTS + 1
        assert max(each["times"] for each in counts.values()) == MOST_OF_ALL
        # One guesser in a hotel's network keeps none of its guests out, whoever they are.
        await sign_in(Visit(await link_to(house, key), proof=PHONE, address="192.0.2.7"), on)

    play(tmp_path, scenario)


def test_neither_tokens_nor_sessions_are_kept_as_they_are(tmp_path):
    async def scenario(house):
        on = serving(house)
        token = await link_to(house, await booked(house))
        signed = await sign_in(Visit(token, proof=PHONE), on)
        kept = str(house.fleet.means.engine.read("SELECT unpacked(body), id FROM packed", ()))
        for secret in (token, signed.begun):
            assert secret.reveal() not in kept + house.on.log.getvalue() + repr(signed) + repr(Visit(secret))

    play(tmp_path, scenario)


def test_drawn_tokens_have_128_bits_in_letters_and_digits_only():
    class Most:
        def token(self, size):
            return b"\xff" * size

    assert len(draw_token(Most()).reveal()) == 22
    assert draw_token(Most()).reveal().isalnum()


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("۵۱۲۱", "5121"), ("٥١٢١", "5121"), (" 51 21 ", "5121"), ("RSV_1", "rsv_1"), ("５１２１", "5121")],
)
def test_what_a_guest_types_is_compared_without_script_spaces_and_case(typed, meant):
    assert folded(typed) == meant

"""Trouble of our own that lasts for some hours: no booking and no checkout is lost."""

import asyncio

import pytest

from shared.ledger.hotel_directory import HotelDirectory
from shared.ports.trouble import ServiceTrouble
from tests.support.sample_hotel import SILK, message, play

CONFIRMED = "melmastoon.reservation.booking.confirmed.v1"


def _in_trouble(monkeypatch, hours):
    """Let the tenant's records be out of reach for a while, as in an outage of the database."""
    ends, read = asyncio.get_running_loop().time() + hours * 3600, HotelDirectory._admitted_as

    async def troubled(hotels, tenant):
        if tenant == SILK and asyncio.get_running_loop().time() < ends:
            raise ServiceTrouble("the database is in trouble")
        return await read(hotels, tenant)

    monkeypatch.setattr(HotelDirectory, "_admitted_as", troubled)


@pytest.mark.parametrize("hours", [0.5, 1, 2])
def test_a_checkout_during_an_outage_of_the_database_is_heeded_when_it_is_over(tmp_path, hours, monkeypatch):
    async def scenario(house):
        await house.publish("evt_1")
        await asyncio.sleep(5)
        _in_trouble(monkeypatch, hours)
        await house.publish("evt_2", "checked_out", time="2026-03-01T11:00:00Z")
        await asyncio.sleep((hours + 0.5) * 3600)
        assert [key["state"]["type"] for key in await house.keys()] == ["revoked"]
        assert await house.keys_at("101") == []

    play(tmp_path, scenario)


@pytest.mark.parametrize("hours", [0.5, 1, 2])
def test_a_booking_during_an_outage_of_the_database_gets_its_key_after_it(tmp_path, hours, monkeypatch):
    async def scenario(house):
        _in_trouble(monkeypatch, hours)
        await house.publish("evt_1")
        await asyncio.sleep((hours + 0.5) * 3600)
        assert [key["state"]["type"] for key in await house.keys()] == ["active"]

    play(tmp_path, scenario)


def test_trouble_that_outlasts_every_delivery_is_an_alarm_and_a_replay_makes_up_for_it(tmp_path, monkeypatch):
    async def scenario(house):
        _in_trouble(monkeypatch, hours=16)
        (message_id,) = await house.fleet.bus.publish(CONFIRMED, [message("evt_1")])
        await asyncio.sleep(16.5 * 3600)
        alarms = {alarm["subscription"]: alarm for alarm in house.logged("ALERT")}
        assert alarms.keys() == {"on-booking-confirmed", "on-guest-contact"}
        for alarm in alarms.values():
            assert (alarm["runbook"], alarm["reason"]) == ("lock/dead-letters", "answered 503")
            assert alarm["messageId"] == message_id
        assert "A Guest" not in house.on.log.getvalue()
        await house.fleet.bus.dead_letters.replay()
        await asyncio.sleep(60)
        assert [key["state"]["type"] for key in await house.keys()] == ["active"]

    play(tmp_path, scenario)

"""What messages say lies sealed in the file, in flight and set aside, and not without end."""

import asyncio
import base64
from datetime import timedelta

from infra.local import upkeep
from infra.local.bus import bus, fresh
from infra.local.bus.fresh import Fresh
from infra.local.delivery.payloads import Sealed
from shared.domain.secret import Secret
from shared.runtime.platform import QUARANTINE_TOPIC
from tests.support.sample_hotel import play

NAME, MAIL = "Ahmad Canary", "canary@guest.example"
GUEST = {"id": "gst_1", "displayName": NAME, "contact": {"email": MAIL}}


def _files(folder):
    return b"".join(file.read_bytes() for file in sorted(folder.glob("fleet.db*")))


def _readable(raw):
    """Return which words stand in bytes, plain or in base 64 at any offset."""
    words = (NAME.encode(), MAIL.encode())
    coded = [base64.b64encode(b"x" * shift + word)[4:-4] for word in words for shift in range(3)]
    return [word for word in (*words, *coded) if word in raw]


def test_s4_a_guests_name_is_not_in_the_file_of_a_message_in_flight_or_set_aside(tmp_path):
    async def scenario(house):
        await house.publish("evt_1", guest=GUEST, propertyId="ppt_none")
        in_flight = _readable(_files(tmp_path))
        await house.settled()
        return in_flight, _readable(_files(tmp_path)), house.quarantined()

    in_flight, aside, notes = play(tmp_path, scenario)
    assert len(notes) == 1
    assert (in_flight, aside) == ([], [])


def test_s4_what_was_set_aside_can_be_looked_at_and_replayed(tmp_path):
    async def scenario(house):
        await house.publish("evt_1", guest=GUEST, rooms=["rmu_999"])
        await house.settled()
        (letter,) = house.fleet.bus.dead_letters.page(topic=QUARANTINE_TOPIC)
        await house.fleet.bus.dead_letters.replay([letter.id])
        await house.settled()
        (again,) = house.fleet.bus.dead_letters.page(topic=QUARANTINE_TOPIC)
        return letter.data, again.data

    first, again = play(tmp_path, scenario)
    assert NAME.encode() in first
    assert again == first


def test_s4_a_message_is_set_aside_for_thirty_days():
    assert timedelta(days=30) == upkeep.SET_ASIDE_FOR


def test_s4_what_nobody_looked_at_in_time_is_gone_and_somebody_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(upkeep, "SET_ASIDE_FOR", timedelta(hours=3))

    async def scenario(house):
        await house.publish("evt_1", guest=GUEST, propertyId="ppt_none")
        await house.settled()
        async with house.on.unscheduled():
            await asyncio.sleep(timedelta(hours=2).total_seconds())
        before = len(house.quarantined())
        async with house.on.unscheduled():
            await asyncio.sleep(timedelta(hours=3).total_seconds())
        return before, len(house.quarantined()), house.logged("ALERT")

    before, after, alerts = play(tmp_path, scenario)
    assert (before, after) == (1, 0)
    let_go = "messages that were set aside are let go"
    assert [alert["gone"] for alert in alerts if alert["message"] == let_go] == [1]


def test_s4_of_too_many_the_oldest_go_and_somebody_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(upkeep, "MOST_SET_ASIDE", 3)

    async def scenario(house):
        for number in range(5):
            await house.publish(f"evt_{number}", propertyId="ppt_none", reservationId=f"rsv_{number}")
            await house.settled()
        async with house.on.unscheduled():
            await asyncio.sleep(3700)
        kept = house.fleet.bus.dead_letters.page()
        return [b'"rsv_%d"' % number in letter.data for number, letter in enumerate(kept, 2)], house.logged(
            "ALERT"
        )

    kept, alerts = play(tmp_path, scenario)
    assert kept == [True, True, True]
    assert alerts[-1]["gone"] == 2


def test_s4_a_message_whose_key_was_lost_is_let_go_of_and_blocks_nobody(tmp_path, monkeypatch):
    async def scenario(house):
        cipher = house.fleet.cipher

        async def lost(_self, data):
            return (await cipher.stamp("elsewhere"))(("elsewhere", "bus", "data"), Secret(data))

        with monkeypatch.context() as patched:
            patched.setattr(Sealed, "seal", lost)
            patched.setattr(fresh, "MOST_FRESH", 0)  # it is read from the disk, as after a start
            await house.publish("evt_1", guest=GUEST)
        await house.settled()
        await asyncio.sleep(1)
        return house.fleet.counters["messages-lost"], house.fleet.bus.backlog()

    each_subscriber_loses_it = 2
    assert play(tmp_path, scenario) == (each_subscriber_loses_it, {})


def test_s4_what_was_delivered_is_in_memory_no_longer_though_it_was_pushed_before_it_was_kept_there(
    tmp_path, monkeypatch
):
    kept, taken, take = set(), set(), Fresh.take

    class Late(Fresh):
        def keep(self, message, identity, routes):
            kept.update((self, route.subscription, identity) for route in routes)
            super().keep(message, identity, routes)

        def take(self, subscription, identity):
            """Find nothing the first time: the dispatcher saw the row before the publisher was told of it."""
            asked = (self, subscription, identity)
            found = take(self, subscription, identity) if asked in taken else None
            taken.add(asked)
            return found

    monkeypatch.setattr(bus, "Fresh", Late)

    async def scenario(house):
        await house.publish("evt_1", guest=GUEST)
        await house.settled()

    play(tmp_path, scenario)
    assert kept
    assert [asked for asked in kept if take(*asked)] == []

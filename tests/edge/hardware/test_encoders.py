"""Encoders: found by identity, held by one job, told of in sessions, found again after unplugging."""

import asyncio
from contextlib import ExitStack
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from edge_agent.hardware.cards.reader import CardReader
from edge_agent.hardware.encoders.encoder import DeskOfEncoders, Encoder
from edge_agent.hardware.encoders.models import MODELS, EncoderSetup
from edge_agent.hardware.encoders.shelf import LOOK_EVERY, EncoderShelf
from edge_agent.hardware.encoders.usb import (
    Sighting,
    Transport,
    UsbIdentity,
    find,
    hid_devices,
    seen_ports,
    serial_ports,
)
from edge_agent.hardware.errors import CardMissing, LinkLost, NoAnswer, NotSupported, lock_error, remedy
from infra.local.ambient import SystemEntropy
from infra.simulators.encoders.pn532 import Pn532
from infra.simulators.key_cards.classic_card import ClassicCard
from infra.simulators.wires.pty_port import PtyPort
from shared.domain.ids import DesktopDeviceId, LockDeviceId, PropertyId
from shared.domain.kinds import VendorCode
from shared.domain.lock_errors import CardEncoderOffline, KeyIssueFailed
from shared.kernel.ids import DrawnIds

FTDI = UsbIdentity(0x0403, 0x6001, "A50285BI", "1-1.2")
CHEAP = UsbIdentity(0x1A86, 0x7523, "", "1-1.3")
NOW = datetime(2026, 11, 19, 8, tzinfo=UTC)


def port(device="/dev/ttyUSB0", vid=0x0403, pid=0x6001, serial="A50285BI", location="1-1.2"):
    """Return a port as pyserial lists it."""
    return SimpleNamespace(
        device=device, vid=vid, pid=pid, serial_number=serial, location=location, product="FT232R"
    )


class Bench:
    """A desk with one encoder, whose plug is pulled and put in again."""

    def __init__(self, stack):
        self.stack, self.facts, self.plugged = stack, [], []
        self.device = Pn532(ClassicCard())
        self.desk = DeskOfEncoders(
            PropertyId("ppt_lake"),
            DesktopDeviceId("dev_desk"),
            SimpleNamespace(now=lambda: NOW),
            DrawnIds(lambda: NOW, SystemEntropy().token),
            self.facts.append,
        )
        setup = EncoderSetup("left", MODELS["pn532_serial"], FTDI)
        self.encoder = Encoder(setup, self.desk, lambda: self.plugged)

    def plug_in(self, identity=FTDI):
        """Put the plug in: another port this time."""
        self.device.awake = self.device.configured = False
        self.line = self.stack.enter_context(PtyPort(self.device))
        self.plugged = [Sighting(identity, Transport.SERIAL, self.line.path)]

    def pull(self):
        """Pull the plug."""
        self.line.unplug()
        self.plugged = []

    @property
    def told(self):
        """What the desk was told, in short."""
        return [getattr(fact, "close_reason", "opened") for fact in self.facts]


@pytest.fixture
def bench():
    """A desk, its encoder plugged in."""
    with ExitStack() as stack:
        bench = Bench(stack)
        bench.plug_in()
        yield bench


async def find_card(reader: CardReader):
    """Look what lies on the encoder."""
    return await reader.find()


async def test_session_is_told_as_the_specification_has_it(bench):
    await bench.encoder.run(find_card)
    await bench.encoder.run(find_card)
    await bench.encoder.close()

    opened, closed = bench.facts
    assert opened.model_dump(mode="json", by_alias=True) == {
        "encoderSessionId": closed.encoder_session_id,
        "propertyId": "ppt_lake",
        "desktopDeviceId": "dev_desk",
        "encoderModel": "pn532_serial",
        "transport": "usb_serial",
        "openedAt": "2026-11-19T08:00:00Z",
    }
    assert closed.close_reason == "graceful"


async def test_unplugged_encoder_is_found_again_on_another_port(bench):
    assert await bench.encoder.run(find_card)
    bench.pull()
    with pytest.raises(LinkLost):
        await bench.encoder.run(find_card)
    with pytest.raises(LinkLost, match="not plugged in"):
        await bench.encoder.run(find_card)
    bench.plug_in()

    assert await bench.encoder.run(find_card)
    await bench.encoder.close()
    assert bench.told == ["opened", "unplugged", "opened", "graceful"]
    assert len({fact.encoder_session_id for fact in bench.facts}) == 2


async def test_other_device_in_its_place_is_not_taken_for_it(bench):
    bench.plug_in(UsbIdentity(0x0403, 0x6001, "ANOTHER", "1-1.2"))

    with pytest.raises(LinkLost):
        await bench.encoder.run(find_card)
    assert bench.told == []


async def test_pulled_plug_is_noticed_between_jobs(bench):
    await bench.encoder.run(find_card)
    assert await bench.encoder.tend()
    bench.pull()

    assert not await bench.encoder.tend()
    assert not await bench.encoder.plugged()
    assert bench.told == ["opened", "unplugged"]


async def test_watch_tells_of_plugs_that_are_pulled_and_put_in(bench):
    shelf = EncoderShelf([bench.encoder.setup], bench.desk, lambda: bench.plugged)
    told, looks = [], iter([lambda: None, bench.pull, lambda: None, bench.plug_in])

    async def sleep(seconds):
        assert seconds == LOOK_EVERY
        change = next(looks, None)
        if change is None:
            raise asyncio.CancelledError
        change()

    assert await shelf.encoder("left").run(find_card)
    with pytest.raises(asyncio.CancelledError):
        await shelf.watch(told.append, sleep)

    assert [(news.name, news.plugged) for news in told] == [("left", True), ("left", False), ("left", True)]
    assert bench.told == ["opened", "unplugged"]
    assert shelf.names == ("left",)
    with pytest.raises(NotSupported, match="left"):
        shelf.encoder("right")
    await shelf.close()


async def test_silent_encoder_is_opened_anew(bench):
    async def give_up(reader):
        raise NoAnswer("nothing came")

    with pytest.raises(NoAnswer):
        await bench.encoder.run(give_up)
    assert await bench.encoder.run(find_card)
    await bench.encoder.close()
    assert bench.told == ["opened", "no_answer", "opened", "graceful"]


async def test_missing_card_does_not_end_the_session(bench):
    async def demand(reader):
        raise CardMissing("no card")

    with pytest.raises(CardMissing):
        await bench.encoder.run(demand)
    assert bench.told == ["opened"]
    await bench.encoder.close()


async def test_jobs_take_turns(bench):
    inside = []

    async def job(reader):
        assert not inside
        inside.append(1)
        await reader.find()
        inside.pop()

    await asyncio.gather(*[bench.encoder.run(job) for _ in range(5)])
    await bench.encoder.close()


async def test_encoder_that_does_not_wake_is_no_session(bench):
    bench.device.faults.plan(*["silent"] * 4)

    with pytest.raises(NoAnswer):
        await bench.encoder.run(find_card)
    assert bench.told == []
    assert await bench.encoder.run(find_card)
    await bench.encoder.close()


def test_port_has_the_identity_of_its_device():
    seen = seen_ports([port(), port(device="/dev/ttyS0", vid=None)])

    assert seen == [Sighting(FTDI, Transport.SERIAL, "/dev/ttyUSB0", "FT232R")]


def test_device_without_a_serial_number_is_known_by_its_socket():
    there = Sighting(CHEAP, Transport.SERIAL, "/dev/ttyUSB1")
    moved = Sighting(UsbIdentity(0x1A86, 0x7523, "", "1-1.4"), Transport.SERIAL, "/dev/ttyUSB2")

    assert find(CHEAP, Transport.SERIAL, lambda: [moved, there]) is there
    with pytest.raises(LinkLost):
        find(CHEAP, Transport.SERIAL, lambda: [moved])


def test_two_devices_that_could_be_it_are_neither():
    twins = [Sighting(CHEAP, Transport.SERIAL, path) for path in ("/dev/ttyUSB1", "/dev/ttyUSB2")]
    anywhere = UsbIdentity(0x1A86, 0x7523)

    with pytest.raises(LinkLost, match="2 devices"):
        find(anywhere, Transport.SERIAL, lambda: twins)
    assert find(anywhere, Transport.SERIAL, lambda: twins[:1]) is twins[0]


def test_serial_number_counts_wherever_the_device_is_plugged_in():
    moved = Sighting(UsbIdentity(0x0403, 0x6001, "A50285BI", "2-4"), Transport.SERIAL, "COM9")

    assert find(FTDI, Transport.SERIAL, lambda: [moved]) is moved
    with pytest.raises(LinkLost):
        find(FTDI, Transport.HID, lambda: [moved])


def test_machine_is_asked_what_is_plugged_in():
    assert all(seen.transport is Transport.SERIAL for seen in serial_ports())
    assert all(seen.transport is Transport.HID for seen in hid_devices())


def test_hardware_errors_have_the_specification_s_codes_and_words_for_people():
    about = (VendorCode("generic-wiegand"), LockDeviceId("lck_01J9Z8Y7X6W5V4T3S2R1Q0P9N8"))

    assert isinstance(lock_error(LinkLost("gone"), *about), CardEncoderOffline)
    assert isinstance(lock_error(NoAnswer("silent"), *about), CardEncoderOffline)
    missing = lock_error(CardMissing("no card"), *about)
    assert isinstance(missing, KeyIssueFailed)
    assert (missing.cause.kind, missing.permanent) == ("card_missing", False)
    assert "card" in remedy(CardMissing("no card"))
    assert "support" in remedy(NoAnswer("x").__class__.__mro__[1]("odd"))

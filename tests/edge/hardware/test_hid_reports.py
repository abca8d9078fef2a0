"""HID encoders through hidapi's own surface: byte streams in reports, and the 125 kHz reader-writer."""

import asyncio
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_agent.hardware.cards.keys import FACTORY_KEY
from edge_agent.hardware.errors import CardFaulty, DeviceRefused, LinkLost, NoAnswer
from edge_agent.hardware.hid_reports.byte_link import HidByteLink, carried, reports
from edge_agent.hardware.hid_reports.device import HidapiDevice
from edge_agent.hardware.hid_reports.proximity import (
    ProximityEncoder,
    ProximityTag,
    TagChip,
    answer,
    request,
)
from edge_agent.hardware.pn532.chip import Patience, Pn532Chip
from edge_agent.hardware.pn532.reader import Pn532Reader
from infra.simulators.encoders.hid import ProximityHandle, StreamHandle
from infra.simulators.encoders.pn532 import Pn532
from infra.simulators.key_cards.classic_card import ClassicCard
from tests.edge.vectors import vectors

FILE = vectors("hid_ffff0035_feature_report")
REPLIES = [(bytes.fromhex(row["hex"]), row) for row in FILE["replies"]]
TAG = ProximityTag(77, 1234567890)


def device(handle):
    """Return our device around a handle that hidapi would have opened."""
    return HidapiDevice(b"", opened=handle)


@pytest.mark.parametrize(("reply", "row"), REPLIES)
def test_published_reply_is_read(reply, row):
    tag = answer(reply)

    assert tag.customer == row["customer_id"]
    assert tag.number == row.get("uid", tag.number)
    if "w26" in row:
        assert list(tag.facility_and_card) == row["w26"]


@pytest.mark.parametrize(("reply", "row"), REPLIES)
def test_damaged_reply_is_refused(reply, row):
    with pytest.raises(NoAnswer):
        answer(reply[:13] + bytes([reply[13] ^ 1]) + reply[14:])
    with pytest.raises(DeviceRefused):
        answer(reply[:11] + b"\x01" + reply[12:17] + bytes([reply[17] ^ 1]) + reply[18:])
    assert answer(reply[:12]) is None


@pytest.mark.parametrize("command", FILE["commands"])
def test_request_is_laid_out_as_published(command):
    sent = request(bytes([int(command, 16), 0, 0]))

    assert len(sent) == 256
    assert (sent[0], sent[6], sent[8], sent[10]) == (1, 0x1F if command == "21" else 0x08, 0xAA, 3)
    assert sent[14:16] == bytes([3 ^ sent[11], 0xBB])


@given(st.binary(max_size=256))
def test_whatever_a_reader_reports_is_read_or_refused(report):
    try:
        answer(report)
    except (NoAnswer, DeviceRefused):
        return


@pytest.mark.parametrize("chip", TagChip)
async def test_proximity_tag_is_written_and_proved(chip):
    handle = ProximityHandle(tag=bytes(5), chip=chip)
    encoder = ProximityEncoder(device(handle))

    await encoder.write(TAG, chip)

    assert await encoder.read() == TAG
    await encoder.beep()
    assert handle.beeps == 2
    await encoder.close()


async def test_tag_of_the_other_chip_is_faulty_and_an_empty_field_is_none():
    encoder = ProximityEncoder(device(ProximityHandle(tag=bytes(5), chip=TagChip.T5577)))

    with pytest.raises(CardFaulty):
        await encoder.write(TAG, TagChip.EM4305)
    await encoder.close()
    empty = ProximityEncoder(device(ProximityHandle()))
    assert await empty.read() is None
    await empty.close()


async def test_unplugged_proximity_encoder_is_lost():
    encoder = ProximityEncoder(device(ProximityHandle(plugged=False)))

    with pytest.raises(LinkLost):
        await encoder.read()
    await encoder.close()


def test_number_over_24_bits_is_no_wiegand_card():
    assert TAG.facility_and_card is None
    assert replace(TAG, number=0x7605D2).facility_and_card == (0x76, 0x05D2)


@given(st.binary(max_size=300))
def test_any_bytes_go_through_reports(data):
    sent = reports(data)

    assert all(len(report) == 64 for report in sent)
    assert b"".join(carried(report[1:]) for report in sent) == data


@pytest.mark.parametrize("report", [b"", b"\x3f" + bytes(63), b"\x05\x01"])
def test_report_that_carries_no_stream_is_another_model_s(report):
    with pytest.raises(LinkLost):
        carried(report)


@pytest.mark.parametrize("piece", [62, 1])
async def test_card_is_written_by_an_encoder_of_the_hid_class(piece):
    handle = StreamHandle(Pn532(ClassicCard()), piece=piece)
    chip = Pn532Chip(HidByteLink(device(handle)), Patience(ack=0.5, reply=1, silence=0.002))
    reader = Pn532Reader(chip)
    await chip.wake()
    await reader.find()
    await reader.open_sector(4, FACTORY_KEY)

    await reader.write(4, b"\x05" * 16)

    assert await reader.read(4) == b"\x05" * 16
    await reader.close()
    assert handle.closed


async def test_report_that_comes_after_somebody_stopped_waiting_is_not_lost():
    handle = StreamHandle(Pn532(ClassicCard()))
    link = HidByteLink(device(handle))
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await link.receive()

    handle._waiting.put(b"\x02ok" + bytes(61))

    assert await link.receive() == b"ok"
    await link.close()


async def test_unplugged_encoder_is_lost_whether_it_is_written_or_read():
    link = HidByteLink(device(StreamHandle(Pn532(), plugged=False)))

    with pytest.raises(LinkLost):
        await link.send(b"\x55")
    with pytest.raises(LinkLost):
        await link.receive()
    await link.close()

"""The conversation with a PN532 on a spoilt line, against a simulated chip that shares no code with it."""

import pytest

from edge_agent.hardware.cards.keys import FACTORY_KEY
from edge_agent.hardware.cards.reader import Card, CardKind
from edge_agent.hardware.errors import (
    CardForeign,
    CardMissing,
    DeviceRefused,
    LinkLost,
    NoAnswer,
)
from edge_agent.hardware.pn532.chip import Patience, Pn532Chip
from edge_agent.hardware.pn532.frames import ACK, NACK
from edge_agent.hardware.pn532.reader import Pn532Reader
from infra.simulators.encoders.pn532 import Pn532, _framed
from infra.simulators.key_cards.classic_card import ClassicCard
from infra.simulators.key_cards.ntag_card import NtagCard
from infra.simulators.wires.device import Answer
from tests.edge.wires import DirectLink

SHORT = Patience(ack=0.01, reply=0.02, silence=0.002)
SOME = bytes(range(16))


async def opened(device, **wire):
    """Return a reader that is awake, and its link."""
    link = DirectLink(device, **wire)
    chip = Pn532Chip(link, SHORT)
    assert (await chip.wake()).chip == 0x32
    return Pn532Reader(chip), link


async def on_block_4(device, **wire):
    """Return a reader with sector 1 of the card open."""
    reader, _ = await opened(device, **wire)
    assert await reader.find() is not None
    await reader.open_sector(4, FACTORY_KEY)
    return reader


@pytest.mark.parametrize("piece", [None, 1, 7])
async def test_card_is_found_opened_written_and_read(piece):
    reader = await on_block_4(Pn532(ClassicCard()), piece=piece, noise=b"\x13\x37")

    await reader.write(4, SOME)

    assert await reader.read(4) == SOME


@pytest.mark.parametrize("knows_retries", [True, False])
async def test_empty_field_is_no_card(knows_retries):
    device = Pn532(None)
    device.knows_retries = knows_retries
    reader, _ = await opened(device)

    assert await reader.find() is None
    with pytest.raises(CardMissing):
        await reader.read(4)


async def test_tag_is_told_from_a_classic_card():
    reader, _ = await opened(Pn532(NtagCard()))

    assert await reader.find() == Card(NtagCard().uid, CardKind.NTAG)


@pytest.mark.parametrize(("sak", "kind"), [(0x88, CardKind.CLASSIC_1K), (0x38, CardKind.CLASSIC_4K)])
async def test_other_makers_cards_are_known(sak, kind):
    reader, _ = await opened(Pn532(ClassicCard(sak=sak)))

    assert (await reader.find()).kind is kind


async def test_card_of_another_family_is_foreign():
    reader, _ = await opened(Pn532(ClassicCard(sak=0x20)))

    with pytest.raises(CardForeign):
        await reader.find()


@pytest.mark.parametrize(
    "fault", ["nack", "silent", "bad_dcs", "dropped_ack", "lost_reply", "stale", "twice"]
)
async def test_one_fault_on_the_line_costs_nothing(fault):
    device = Pn532(ClassicCard())
    reader = await on_block_4(device)
    await reader.write(4, SOME)
    device.faults.plan(fault)

    assert await reader.read(4) == SOME
    assert await reader.read(5) == bytes(16)
    assert device.faults.struck == [fault]


async def test_second_reply_to_one_read_is_not_taken_for_the_next():
    device = Pn532(ClassicCard())
    reader = await on_block_4(device)
    await reader.write(4, SOME)
    # The ACK is lost, so the chip is asked again and answers twice.
    device.faults.plan("silent", "twice")

    assert await reader.read(4) == SOME
    assert await reader.read(5) == bytes(16)


async def test_late_second_reply_after_the_next_command_is_older_than_its_ack():
    device = Pn532(ClassicCard())
    reader = await on_block_4(device)
    await reader.write(4, SOME)
    old = device._do(bytes.fromhex("40013004"))[0]
    honest = device._struck
    device._struck = lambda command: [Answer(_framed(b"\x41" + old)), *honest(command)]

    assert await reader.read(5) == bytes(16)


async def test_bytes_of_an_earlier_life_are_dropped():
    stale = bytes.fromhex("00ff03fdd54100ea00" + "0000ff13edd5")
    reader, _ = await opened(Pn532(ClassicCard()), stale=stale)

    assert await reader.find() is not None


async def test_reader_that_never_acknowledges_is_asked_four_times():
    device = Pn532(ClassicCard())
    reader, link = await opened(device)
    device.faults.plan(*["silent"] * 9)
    sent = len(link.sent)

    with pytest.raises(NoAnswer):
        await reader.find()
    assert len(link.sent) == sent + SHORT.tries


async def test_reply_that_never_comes_is_cancelled():
    device = Pn532(ClassicCard())
    reader, link = await opened(device)
    await reader.find()
    device.receive, receive = (lambda data: [Answer(ACK)] if len(data) > 6 else []), device.receive

    with pytest.raises(NoAnswer):
        await reader.open_sector(4, FACTORY_KEY)
    assert link.sent[-2:] == [NACK, ACK]
    device.receive = receive
    assert await reader.find() is not None


async def test_unknown_command_is_refused():
    device = Pn532(ClassicCard())
    chip = Pn532Chip(DirectLink(device), SHORT)
    await chip.wake()

    with pytest.raises(DeviceRefused):
        await chip.ask(b"\x99")


async def test_refused_key_halts_the_card_until_it_is_found_again():
    device = Pn532(ClassicCard())
    reader = await on_block_4(device)
    device.refuses_keys = True
    with pytest.raises(CardForeign):
        await reader.open_sector(4, FACTORY_KEY)
    device.refuses_keys = False
    with pytest.raises(CardForeign):
        await reader.open_sector(4, FACTORY_KEY)

    await reader.find()
    await reader.open_sector(4, FACTORY_KEY)


async def test_card_taken_away_is_missing():
    device = Pn532(ClassicCard())
    reader = await on_block_4(device)
    device.faults.plan("gone")

    with pytest.raises(CardMissing):
        await reader.write(4, SOME)


async def test_unplugged_reader_is_lost():
    reader, link = await opened(Pn532(ClassicCard()))
    await link.close()

    with pytest.raises(LinkLost):
        await reader.find()

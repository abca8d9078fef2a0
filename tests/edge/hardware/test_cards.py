"""Cards: what is written is proved, no write can spoil a card for good, and no two cards share a key."""

from contextlib import nullcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_agent.hardware.cards import ndef
from edge_agent.hardware.cards.access_bits import KEY_CARD, AccessBits, safe_to_write
from edge_agent.hardware.cards.classic import (
    ClassicCard,
    Trailer,
    first_block,
    sector_of,
    trailer_of,
)
from edge_agent.hardware.cards.keys import FACTORY_KEY, KeyMaterial
from edge_agent.hardware.cards.ntag import NtagCard
from edge_agent.hardware.cards.reader import Card, CardKind, KeyType
from edge_agent.hardware.errors import CardFaulty, CardForeign, CardMissing, HardwareError, UnsafeWrite
from edge_agent.hardware.pn532.chip import Patience, Pn532Chip
from edge_agent.hardware.pn532.reader import Pn532Reader
from infra.simulators.encoders.pn532 import Pn532
from infra.simulators.key_cards.classic_card import ClassicCard as Plastic
from infra.simulators.key_cards.ntag_card import NtagCard as Sticker
from shared.domain.secret import Secret
from tests.edge.vectors import vectors
from tests.edge.wires import DirectLink

SHORT = Patience(ack=0.01, reply=0.02, silence=0.002)
OURS = KeyMaterial(1, Secret(b"guesthouse by the lake, 16+"))
THEIRS = KeyMaterial(1, Secret(b"another house, another material"))
CONTENT = (bytes(range(16)), b"keyfleet keycard", bytes(16))
ACCESS = vectors("mifare_access_bits")["vectors"]


async def reader_on(plastic):
    """Return an encoder with a card on it, and the card as it is found."""
    chip = Pn532Chip(DirectLink(Pn532(plastic)), SHORT)
    await chip.wake()
    reader = Pn532Reader(chip)
    return reader, await reader.find()


async def classic(plastic, material=OURS):
    """Return a card on an encoder, as the desk sees it."""
    reader, card = await reader_on(plastic)
    return ClassicCard(reader, card, material)


@pytest.mark.parametrize("row", ACCESS, ids=lambda row: row["note"])
def test_access_bits_are_the_vectors(row):
    stored = bytes.fromhex(row["access_bytes"])
    if not row["valid"]:
        with pytest.raises(UnsafeWrite):
            AccessBits.parse(stored)
        return
    bits = AccessBits.parse(stored)
    assert [list(block) for block in bits.blocks] == row["c1c2c3_block0_3"]
    assert bits.stored() == stored


@given(st.binary(min_size=3, max_size=3))
def test_access_bits_read_are_access_bits_written(stored):
    try:
        bits = AccessBits.parse(stored)
    except UnsafeWrite:
        return
    assert bits.stored() == stored


@given(st.tuples(*[st.tuples(*[st.integers(0, 1)] * 3)] * 4))
def test_only_a_trailer_that_can_be_written_again_is_written(blocks):
    bits = AccessBits(blocks)
    if blocks[3] in ((0, 0, 1), (0, 1, 1)):
        assert safe_to_write(bits.stored()) == bits
    else:
        with pytest.raises(UnsafeWrite):
            safe_to_write(bits.stored())


async def test_new_card_is_written_proved_and_locked_to_us():
    plastic = Plastic()
    card = await classic(plastic)

    await card.write(1, CONTENT)

    assert await card.read(1) == b"".join(CONTENT)
    assert plastic.blocks[7][6:9] == KEY_CARD.stored()
    assert plastic.blocks[7][:6] != FACTORY_KEY.value.reveal()


async def test_our_card_is_written_again_and_keeps_its_trailer():
    plastic = Plastic()
    card = await classic(plastic)
    await card.write(1, CONTENT)
    trailer, writes = plastic.blocks[7], plastic.writes

    await card.write(1, CONTENT[::-1])

    assert await card.read(1) == b"".join(CONTENT[::-1])
    assert plastic.blocks[7] == trailer
    assert plastic.writes == writes + 3


async def test_card_of_another_house_is_foreign_and_stays_as_it_is():
    plastic = Plastic()
    await (await classic(plastic, THEIRS)).write(1, CONTENT)
    before = list(plastic.blocks)

    with pytest.raises(CardForeign):
        await (await classic(plastic)).write(1, CONTENT)
    assert plastic.blocks == before


async def test_lock_s_key_reads_and_cannot_write():
    plastic = Plastic()
    reader, found = await reader_on(plastic)
    card = ClassicCard(reader, found, OURS)
    await card.write(1, CONTENT)
    await reader.open_sector(4, card.key(1, KeyType.A))

    with pytest.raises(HardwareError):
        await reader.write(4, bytes(16))
    assert await card.read(1) == b"".join(CONTENT)


async def test_torn_write_is_never_called_done():
    plastic = Plastic(tear_write=2)

    with pytest.raises((CardMissing, CardFaulty)):
        await (await classic(plastic)).write(1, CONTENT)


async def test_card_torn_while_its_data_was_written_is_written_whole_the_next_time():
    plastic = Plastic(tear_write=2)
    with pytest.raises(CardMissing):
        await (await classic(plastic)).write(1, CONTENT)
    plastic.present, plastic.tear_write = True, None

    card = await classic(plastic)
    await card.write(1, CONTENT)

    assert await card.read(1) == b"".join(CONTENT)


@pytest.mark.parametrize("writes", range(5))
async def test_card_taken_away_at_any_write_can_still_be_written(writes):
    plastic = Plastic(leave_after_writes=writes)
    with pytest.raises(CardMissing) if writes < 4 else nullcontext():
        await (await classic(plastic)).write(1, CONTENT)
    plastic.present, plastic.leave_after_writes = True, None

    card = await classic(plastic)
    await card.write(1, CONTENT)

    assert await card.read(1) == b"".join(CONTENT)
    assert not plastic.bricked


async def test_block_that_does_not_hold_is_found_by_reading_it_back():
    plastic = Plastic()
    honest = plastic.write
    plastic.write = lambda block, data: honest(block, data[:15] + b"\x00")

    with pytest.raises(CardFaulty):
        await (await classic(plastic)).write(1, CONTENT)


async def test_trailer_is_never_read_before_it_is_written():
    plastic = Plastic()
    order = []
    read, write = plastic.read, plastic.write
    plastic.read = lambda block: order.append(("read", block)) or read(block)
    plastic.write = lambda block, data: order.append(("write", block)) or write(block, data)

    await (await classic(plastic)).write(1, CONTENT)

    assert order.index(("write", 7)) < order.index(("read", 7))
    assert order.index(("write", 7)) > max(n for n, step in enumerate(order) if step[1] < 7)


async def test_trailer_that_would_block_the_sector_is_not_tried():
    plastic = Plastic()
    card = await classic(plastic)
    await card.claim(1)
    frozen = AccessBits((*KEY_CARD.blocks[:3], (1, 1, 0)))

    with pytest.raises(UnsafeWrite):
        await card.write_trailer(1, Trailer(FACTORY_KEY, FACTORY_KEY, frozen))
    assert plastic.writes == 0


@pytest.mark.parametrize(
    ("sector", "blocks"),
    [(0, [bytes(16)]), (1, [bytes(16)] * 4), (1, [bytes(15)])],
    ids=["the manufacturer's", "into the trailer", "short"],
)
async def test_write_that_may_not_be_is_refused_before_the_card_is_touched(sector, blocks):
    plastic = Plastic()

    with pytest.raises(UnsafeWrite):
        await (await classic(plastic)).write(sector, blocks)
    assert plastic.writes == 0


async def test_released_card_is_a_new_card():
    plastic = Plastic()
    card = await classic(plastic)
    await card.write(1, CONTENT)

    await card.release(1)

    assert plastic.blocks == Plastic().blocks


async def test_other_card_laid_down_halfway_is_not_written():
    plastic, other = Plastic(), Plastic(uid=bytes.fromhex("01020304"))
    device = Pn532(plastic)
    chip = Pn532Chip(DirectLink(device), SHORT)
    await chip.wake()
    reader = Pn532Reader(chip)
    card = ClassicCard(reader, await reader.find(), OURS)
    device.card = other

    with pytest.raises(CardMissing, match="another card"):
        await card.write(1, CONTENT)
    assert other.writes == 0


def test_keys_differ_by_card_sector_type_and_house():
    keys = {
        material.sector_key(uid, sector, kind).value.reveal()
        for material in (OURS, THEIRS)
        for uid in (b"\x01" * 4, b"\x02" * 4, b"\x01" * 7)
        for sector in range(16)
        for kind in KeyType
    }

    assert len(keys) == 2 * 3 * 16 * 2
    assert "guesthouse" not in repr(OURS)
    assert "ff" not in repr(FACTORY_KEY)


def test_short_key_material_is_refused():
    with pytest.raises(ValueError, match="key material"):
        KeyMaterial(1, Secret(b"short"))


def test_sectors_of_a_large_card_are_numbered_as_the_data_sheet_does():
    assert [first_block(n) for n in (0, 1, 31, 32, 39)] == [0, 4, 124, 128, 240]
    assert [trailer_of(n) for n in (0, 31, 32, 39)] == [3, 127, 143, 255]
    assert all(sector_of(first_block(n)) == sector_of(trailer_of(n)) == n for n in range(40))


async def test_tag_is_written_and_proved():
    sticker = Sticker()
    reader, found = await reader_on(sticker)
    message = ndef.wrapped(ndef.uri("https://www.example.com/k/1").message())

    await NtagCard(reader, found).write(message)

    assert ndef.unwrapped(await NtagCard(reader, found).read(144)) == message[2:-1]
    assert sticker.pages[:4] == Sticker().pages[:4]
    assert sticker.pages[40:] == Sticker().pages[40:]


async def test_tag_is_filled_to_its_last_page_and_not_beyond():
    sticker = Sticker()
    reader, found = await reader_on(sticker)

    await NtagCard(reader, found).write(b"\xa5" * 144)

    assert sticker.pages[39] == b"\xa5" * 4
    assert sticker.pages[40:] == Sticker().pages[40:]
    with pytest.raises(UnsafeWrite):
        await NtagCard(reader, found).write(bytes(145))


@pytest.mark.parametrize(("low", "high", "length"), [(0x10, 0, 4), (0, 0x80, 48), (0x80, 0, 16)])
async def test_locked_tag_is_refused_before_it_is_touched(low, high, length):
    sticker = Sticker()
    sticker.pages[2] = bytes([0, 0, low, high])
    reader, found = await reader_on(sticker)
    before = list(sticker.pages)

    with pytest.raises(CardForeign):
        await NtagCard(reader, found).write(b"\x01" * length)
    assert sticker.pages == before


async def test_worn_page_is_found_by_reading_it_back():
    reader, found = await reader_on(Sticker(worn_page=6))

    with pytest.raises(CardFaulty):
        await NtagCard(reader, found).write(b"\x02" * 32)


async def test_tag_that_does_not_say_its_size_is_foreign():
    sticker = Sticker()
    sticker.pages[3] = bytes(4)
    reader, found = await reader_on(sticker)

    with pytest.raises(CardForeign):
        await NtagCard(reader, found).write(b"\x02")


def test_wrong_family_is_refused():
    with pytest.raises(UnsafeWrite):
        NtagCard(None, Card(b"", CardKind.CLASSIC_1K))
    with pytest.raises(UnsafeWrite):
        ClassicCard(None, Card(b"", CardKind.NTAG), OURS)


RECORDS = {
    "uri https://www.example.com/k/1": ndef.uri("https://www.example.com/k/1"),
    "uri https://example.com": ndef.uri("https://example.com"),
    "text en 'Room 204'": ndef.text("Room 204"),
    "mime bluetooth.le.oob id 0": ndef.media("application/vnd.bluetooth.le.oob", b"\x01\x02", "0"),
}


@pytest.mark.parametrize("row", vectors("ndef")["messages"], ids=lambda row: row["case"])
def test_ndef_is_the_vectors(row):
    message = bytes.fromhex(row["hex"])

    assert RECORDS[row["case"]].message() == message
    assert ndef.record(message) == RECORDS[row["case"]]
    assert ndef.wrapped(message) == bytes.fromhex(row["tlv"])
    assert ndef.unwrapped(bytes.fromhex(row["tlv"])) == message


def test_capability_containers_are_the_vectors():
    assert [found.hex() for found in ndef.CAPABILITIES.values()] == list(vectors("ndef")["cc"].values())


@given(st.binary(max_size=700), st.binary(max_size=9))
def test_any_message_comes_out_of_its_tlv(payload, record_id):
    wanted = ndef.Record(ndef.MEDIA, b"a/b", payload, record_id)

    assert ndef.record(ndef.unwrapped(b"\x00" + ndef.wrapped(wanted.message()))) == wanted


@given(st.binary(max_size=60))
def test_whatever_stands_on_a_tag_is_read_or_refused(memory):
    try:
        ndef.record(ndef.unwrapped(memory))
    except ndef.NdefDamaged:
        return

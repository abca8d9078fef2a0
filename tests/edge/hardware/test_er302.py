"""ER302 encoders: public vectors, stuffing, spoilt lines, and whole cards against a simulated encoder."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_agent.hardware.cards.classic import ClassicCard
from edge_agent.hardware.cards.keys import FACTORY_KEY, KeyMaterial
from edge_agent.hardware.er302 import reader as er302
from edge_agent.hardware.er302.frames import (
    Er302Damaged,
    Er302Frame,
    Er302FrameReader,
    er302_frame,
)
from edge_agent.hardware.er302.reader import Er302Patience, Er302Reader
from edge_agent.hardware.errors import CardForeign, CardMissing, DeviceRefused, NoAnswer, NotSupported
from infra.simulators.encoders.er302 import Er302, framed
from infra.simulators.key_cards.classic_card import ClassicCard as Plastic
from infra.simulators.key_cards.ntag_card import NtagCard
from shared.domain.secret import Secret
from tests.edge.vectors import named, vectors
from tests.edge.wires import DirectLink, fed

FILE = vectors("yhy523u_er302_serial")
FRAMES = named(FILE["published"] + FILE["derived"])
QUESTIONS = {
    "beep 0x64": (er302.BEEP, b"\x64"),
    "request all type A": (er302.REQUEST, er302.ALL_CARDS),
    "anticollision": (er302.ANTICOLLISION, b"\x04"),
    "select 4cd90080": (er302.SELECT, bytes.fromhex("4cd90080")),
    "auth A block 4 key FF": (er302.AUTHENTICATE, b"\x60\x04" + b"\xff" * 6),
    "read block 4": (er302.READ, b"\x04"),
    "write block 4 data AA..AA (stuffing)": (er302.WRITE, b"\x04" + b"\xaa" * 16),
    "halt": (0x0204, b""),
}
SHORT = Er302Patience(answer=0.02, silence=0.002)
OURS = KeyMaterial(1, Secret(b"guesthouse by the lake, 16+"))


def on(device, **wire):
    """Return a reader on a simulated encoder."""
    return Er302Reader(DirectLink(device, **wire), SHORT)


@pytest.mark.parametrize("name", FRAMES)
def test_question_is_the_vector(name):
    assert er302_frame(*QUESTIONS[name]) == FRAMES[name]


@pytest.mark.parametrize("size", [None, 1, 3])
@pytest.mark.parametrize("name", FRAMES)
def test_every_vector_is_one_frame(name, size):
    assert fed(Er302FrameReader(), FRAMES[name], size) == [Er302Frame(*QUESTIONS[name])]


@pytest.mark.parametrize("name", FRAMES)
def test_simulator_reads_every_vector(name):
    device = Er302(Plastic())

    device.receive(FRAMES[name])

    assert device.commands == [QUESTIONS[name][0]]


def test_statuses_and_commands_are_the_published_ones():
    assert {f"{code:02x}" for code in er302.STATUS} == set(FILE["status"])
    known = {er302.FIRMWARE, er302.BEEP, er302.REQUEST, er302.ANTICOLLISION, er302.SELECT}
    known |= {er302.AUTHENTICATE, er302.READ, er302.WRITE}
    assert {f"{command:04x}" for command in known} <= FILE["commands"].keys()


@given(st.binary(max_size=200), st.binary(max_size=9), st.integers(1, 9))
def test_any_frame_survives_noise_pieces_and_stuffing(data, noise, size):
    quiet = noise.replace(b"\xaa", b"\xab")

    events = fed(Er302FrameReader(), quiet + er302_frame(0x0208, data) + er302_frame(0x0106), size)

    assert events == [Er302Frame(0x0208, data), Er302Frame(0x0106, b"")]


@given(st.binary(max_size=300), st.integers(1, 50))
def test_whatever_comes_the_next_frame_is_found(noise, size):
    reader = Er302FrameReader()

    events = fed(reader, noise + b"\x00" + er302_frame(0x0106) * 2, size)

    assert events[-1] == Er302Frame(0x0106, b"")


def test_checksum_that_is_not_stuffed_is_taken_too():
    # Some firmware stuffs the body alone; here the xor is AA.
    whole = er302_frame(0x0106, b"\xad")
    assert whole.endswith(b"\xaa\x00")

    assert fed(Er302FrameReader(), whole[:-1] + er302_frame(0x0106), 1) == [
        Er302Frame(0x0106, b"\xad"),
        Er302Frame(0x0106, b""),
    ]


def test_cut_and_flipped_frames_are_damage():
    whole = er302_frame(0x0208, b"\x04")

    assert fed(Er302FrameReader(), whole[:-3] + whole) == [
        Er302Damaged("cut short"),
        Er302Frame(0x0208, b"\x04"),
    ]
    assert fed(Er302FrameReader(), whole[:-1] + b"\x55") == [Er302Damaged("checksum")]
    assert fed(Er302FrameReader(), b"\xaa\xbb\xff\xff") == [Er302Damaged("length")]


def test_frame_that_is_too_long_is_refused():
    with pytest.raises(ValueError, match="at most"):
        er302_frame(1, bytes(400))


@pytest.mark.parametrize("piece", [None, 1])
async def test_card_is_written_and_proved(piece):
    plastic = Plastic(uid=bytes.fromhex("aa00aabb"))
    reader = on(Er302(plastic), piece=piece, noise=b"\x01\xaa")
    card = ClassicCard(reader, await reader.find(), OURS)

    await card.write(1, [b"\xaa" * 16, b"\xaa\xbb" * 8, bytes(16)])

    assert await card.read(1) == b"\xaa" * 16 + b"\xaa\xbb" * 8 + bytes(16)


@pytest.mark.parametrize("fault", ["bad_xor", "silent", "twice", "cut"])
async def test_one_fault_on_the_line_costs_nothing(fault):
    device = Er302(Plastic())
    reader = on(device)
    await reader.find()
    await reader.open_sector(4, FACTORY_KEY)
    await reader.write(4, b"\x07" * 16)
    device.faults.plan(fault)

    assert await reader.read(4) == b"\x07" * 16
    assert await reader.read(5) == bytes(16)


async def test_encoder_that_stays_silent_is_asked_three_times():
    device = Er302(Plastic())
    device.faults.plan(*["silent"] * 5)

    with pytest.raises(NoAnswer):
        await on(device).find()
    assert len(device.commands) == SHORT.tries


async def test_what_the_encoder_says_has_its_error():
    device = Er302(Plastic())
    reader = on(device)
    assert "ER302" in await reader.firmware()
    await reader.beep()
    await reader.find()
    with pytest.raises(DeviceRefused):
        await reader.read(4)
    device.card.halted = True
    with pytest.raises(CardForeign):
        await reader.open_sector(4, FACTORY_KEY)
    device.faults.plan("gone")
    with pytest.raises(CardMissing):
        await reader.read(4)
    assert await reader.find() is None


async def test_tag_is_not_for_this_encoder():
    reader = on(Er302(NtagCard()))

    with pytest.raises(NotSupported):
        await reader.find()
    with pytest.raises(NotSupported):
        await reader.write_page(4, bytes(4))


def test_simulator_s_frames_are_ours():
    assert framed(b"\xff\xff\x06\x01\xaa") == er302_frame(0x0106, b"\xaa")

"""PN532 frames: public vectors both ways, in pieces, with noise, cut short, and whatever chance brings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_agent.hardware.pn532 import frames
from edge_agent.hardware.pn532.commands import (
    LIST_ONE_TYPE_A,
    SAM_CONFIGURATION,
    STATUS,
    authenticate,
    exchange,
    firmware,
    target,
)
from edge_agent.hardware.pn532.frames import (
    ACK,
    NACK,
    Ack,
    Damaged,
    Frame,
    Nack,
    Pn532FrameReader,
    SyntaxRefused,
    frame,
)
from tests.edge.vectors import named, vectors
from tests.edge.wires import fed

FILE = vectors("pn532_frames")
FRAMES = named(FILE["frames"])
BODILESS = {"ACK": Ack(), "NACK": Nack(), "error frame (syntax)": SyntaxRefused()}
UID, FACTORY = bytes.fromhex("deadbeef"), b"\xff" * 6
COMMANDS = {
    "GetFirmwareVersion cmd": b"\x02",
    "SAMConfiguration normal, no irq": SAM_CONFIGURATION,
    "Diagnose '123' cmd": b"\x00123",
    "InCommunicateThru HALT 50 00 57 CD": bytes.fromhex("42500057cd"),
    "InListPassiveTarget 1 x 106A": LIST_ONE_TYPE_A,
    "auth A block 4 key FF.. UID DEADBEEF": exchange(1, authenticate(0x60, 4, FACTORY, UID)),
    "read block 4": exchange(1, bytes([0x30, 4])),
    "write block 4": exchange(1, bytes([0xA0, 4, *range(16)])),
    "NTAG write page 4": exchange(1, bytes.fromhex("a2040304d800")),
}


def alone(events):
    """Return the one event there is."""
    assert len(events) == 1
    return events[0]


@pytest.mark.parametrize("size", [None, 1, 3])
@pytest.mark.parametrize("name", FRAMES)
def test_every_vector_is_one_event(name, size):
    event = alone(fed(Pn532FrameReader(), FRAMES[name], size))

    if name in BODILESS:
        assert event == BODILESS[name]
    else:
        extended = "extended" in name
        assert frame(event.data, event.sender, extended) == FRAMES[name]


@pytest.mark.parametrize("name", COMMANDS)
def test_command_is_the_vector(name):
    assert frame(COMMANDS[name]) == FRAMES[name]


def test_wake_up_begins_as_published():
    assert frames.WAKE_UP.startswith(bytes.fromhex(FILE["wakeup_hsu"]))


def test_every_published_status_has_its_words():
    assert {f"{code:02x}" for code in STATUS} == FILE["error_codes"].keys() - {"7f"}


def test_answers_are_read():
    def data(name):
        return alone(fed(Pn532FrameReader(), FRAMES[name])).data[1:]

    assert firmware(data("GetFirmwareVersion rsp PN532 v1.6")).version == "1.6"
    assert target(data("rsp no target")) is None
    found = target(data("rsp one MIFARE Classic 1K, UID DEADBEEF"))
    assert (found.number, found.sel_res, found.uid) == (1, 0x08, UID)


def test_frame_over_255_bytes_takes_the_extended_form():
    long = bytes(range(256))

    sent = frame(long)

    assert sent[3:5] == b"\xff\xff"
    assert alone(fed(Pn532FrameReader(), sent, 1)) == Frame(0xD4, long)


def test_frame_over_the_chip_s_buffer_is_refused():
    with pytest.raises(ValueError, match="at most"):
        frame(bytes(265))


@pytest.mark.parametrize("at", [3, 4, 5, 6, 7])
def test_flipped_bit_is_damage_and_never_a_frame(at):
    whole = bytearray(FRAMES["SAMConfiguration rsp"])
    whole[at] ^= 0x04

    events = fed(Pn532FrameReader(), bytes(whole) + ACK)

    assert not [event for event in events if isinstance(event, Frame)]


def test_frame_after_a_cut_one_is_found():
    whole = FRAMES["exchange ok"]

    events = fed(Pn532FrameReader(), FRAMES["read rsp 00..0f"][:9] + whole + bytes(20), 1)

    assert [event for event in events if isinstance(event, Frame)] == [Frame(0xD5, b"\x41\x00")]
    assert any(isinstance(event, Damaged) for event in events)


def test_long_noise_is_not_kept():
    reader = Pn532FrameReader()

    reader.feed(b"\x11" * 100_000)

    assert len(reader._buffer) <= 1


@given(st.binary(min_size=1, max_size=263), st.binary(max_size=8), st.integers(1, 9))
def test_any_frame_survives_noise_and_pieces(data, noise, size):
    # Noise that happens to end with the beginning of a start code belongs to no frame of its own.
    quiet = noise.replace(b"\x00", b"\x01").replace(b"\xff", b"\xfe")

    events = fed(Pn532FrameReader(), quiet + frame(data) + NACK, size)

    assert events == [Frame(0xD4, data), Nack()]


@given(st.binary(max_size=400), st.integers(1, 64))
def test_whatever_comes_the_reader_neither_fails_nor_hoards(data, size):
    reader = Pn532FrameReader()

    fed(reader, data, size)
    events = fed(reader, bytes(300) + frame(b"\x02"), size)

    assert events[-1] == Frame(0xD4, b"\x02")

"""ACR122U: public CCID frames and APDUs, and whole cards through its PN532."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_agent.hardware.cards.keys import FACTORY_KEY
from edge_agent.hardware.ccid import acr122
from edge_agent.hardware.ccid.acr122 import Acr122Chip, answered
from edge_agent.hardware.ccid.frames import (
    DATA_BLOCK,
    POWER_ON,
    XFR_BLOCK,
    CcidDamaged,
    CcidFrame,
    CcidFrameReader,
)
from edge_agent.hardware.errors import DeviceRefused, NoAnswer
from edge_agent.hardware.pn532.commands import GET_FIRMWARE_VERSION
from edge_agent.hardware.pn532.reader import Pn532Reader
from infra.simulators.encoders.acr122 import Acr122
from infra.simulators.encoders.pn532 import Pn532
from infra.simulators.key_cards.classic_card import ClassicCard
from tests.edge.vectors import named, vectors
from tests.edge.wires import DirectLink, fed

FILE = vectors("acr122u_ccid")
FRAMES, APDUS = named(FILE["ccid"]), named(FILE["apdus"])
LIGHTS_AND_BUZZER = bytes.fromhex("ff00400e0400000000")
SENT = {
    "version string cmd": CcidFrame(XFR_BLOCK, acr122.GET_VERSION),
    "icc power on": CcidFrame(POWER_ON, b""),
    "set PICC params": CcidFrame(XFR_BLOCK, acr122.PICC_PARAMETERS),
    "LED/buzzer default": CcidFrame(XFR_BLOCK, LIGHTS_AND_BUZZER),
    "close: LED off": CcidFrame(XFR_BLOCK, acr122.LIGHTS_OFF),
}
BUILT = {
    "get UID": acr122.GET_UID,
    "load key FF.. into slot 0": acr122.load_key(b"\xff" * 6),
    "authenticate block 4 key A slot 0": acr122.authenticate(4, 0x60),
    "read block 4": acr122.read_block(4),
    "update block 4": acr122.update_block(4, bytes(range(16))),
    "direct transmit GetFirmwareVersion": acr122.direct(GET_FIRMWARE_VERSION),
}


@pytest.mark.parametrize("name", SENT)
def test_frame_is_the_vector(name):
    assert bytes(SENT[name]) == FRAMES[name]


@pytest.mark.parametrize("name", APDUS)
def test_apdu_is_the_vector(name):
    assert BUILT[name] == APDUS[name]


@pytest.mark.parametrize("size", [None, 1, 3])
@pytest.mark.parametrize("name", FRAMES)
def test_every_vector_is_one_frame(name, size):
    (frame,) = fed(CcidFrameReader(), FRAMES[name], size)

    assert bytes(frame) == FRAMES[name]


def test_answers_are_read():
    (version,) = fed(CcidFrameReader(), FRAMES["version string rsp 'ACR122U203'"])
    (ok,) = fed(CcidFrameReader(), FRAMES["rsp ok 9000"])

    assert version.payload() == b"ACR122U203"
    assert answered(ok.payload()) == b""


@pytest.mark.parametrize(("status", "meaning"), FILE["status"].items())
def test_every_status_has_its_meaning(status, meaning):
    if meaning == "ok":
        assert answered(b"x" + bytes.fromhex(status)) == b"x"
    else:
        with pytest.raises(DeviceRefused, match=meaning) as refused:
            answered(bytes.fromhex(status))
        assert refused.value.code == status.upper()


@given(st.binary(max_size=80), st.integers(1, 20))
def test_any_frame_survives_pieces(data, size):
    frames = [CcidFrame(DATA_BLOCK, data, 7), CcidFrame(DATA_BLOCK, b"", 8)]

    assert fed(CcidFrameReader(), b"".join(map(bytes, frames)), size) == frames


@given(st.binary(max_size=200), st.integers(1, 64))
def test_whatever_comes_the_reader_neither_fails_nor_hoards(data, size):
    reader = CcidFrameReader()

    fed(reader, data, size)

    assert len(reader._buffer) < 1024


def test_impossible_length_is_damage():
    assert fed(CcidFrameReader(), b"\x80\xff\xff\xff\xff" + bytes(5)) == [CcidDamaged("length")]


@pytest.mark.parametrize("faults", [[], ["busy"] * 3, ["stale"] * 3])
async def test_card_is_written_through_an_acr122(faults):
    device = Acr122(Pn532(ClassicCard()))
    chip = Acr122Chip(DirectLink(device, piece=5), seconds=0.2)
    assert await chip.firmware() == "ACR122U203"
    device.faults.plan(*faults)
    reader = Pn532Reader(chip)
    await reader.find()
    await reader.open_sector(4, FACTORY_KEY)

    await reader.write(4, b"\x06" * 16)

    assert await reader.read(4) == b"\x06" * 16
    await reader.close()


async def test_refused_and_missing_answers_are_said():
    device = Acr122(Pn532(ClassicCard()))
    chip = Acr122Chip(DirectLink(device), seconds=0.02)

    with pytest.raises(DeviceRefused):
        await chip.ask(b"\x99")
    device.faults.plan("refused")
    with pytest.raises(DeviceRefused):
        await chip.transmit(acr122.GET_UID)
    device.receive = lambda data: []
    with pytest.raises(NoAnswer):
        await chip.transmit(acr122.GET_UID)
    await chip.close()

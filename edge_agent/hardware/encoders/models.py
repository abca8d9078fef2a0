"""The encoder models we drive: how each is reached, and what makes a card reader of its wire."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final

from edge_agent.hardware.cards.reader import CardReader
from edge_agent.hardware.encoders.usb import Transport, UsbIdentity
from edge_agent.hardware.er302.reader import Er302Reader
from edge_agent.hardware.hid_reports.byte_link import HidByteLink
from edge_agent.hardware.hid_reports.device import HidapiDevice
from edge_agent.hardware.link import ByteLink
from edge_agent.hardware.pn532.chip import Pn532Chip
from edge_agent.hardware.pn532.reader import Pn532Reader
from edge_agent.hardware.serial_link import open_serial


async def _pn532(link: ByteLink) -> CardReader:
    chip = Pn532Chip(link)
    await chip.wake()
    return Pn532Reader(chip)


async def _er302(link: ByteLink) -> CardReader:
    reader = Er302Reader(link)
    await reader.firmware()
    return reader


async def _hid_link(path: str) -> ByteLink:
    return HidByteLink(HidapiDevice(path.encode()))


@dataclass(frozen=True, slots=True)
class EncoderModel:
    """A model: its name on the wire, its transport, and how it is woken."""

    code: str
    transport: Transport
    connect: Callable[[str], Awaitable[ByteLink]]
    wake: Callable[[ByteLink], Awaitable[CardReader]]


MODELS: Final[Mapping[str, EncoderModel]] = {
    model.code: model
    for model in (
        EncoderModel("pn532_serial", Transport.SERIAL, open_serial, _pn532),
        EncoderModel("er302_serial", Transport.SERIAL, open_serial, _er302),
        EncoderModel("pn532_hid", Transport.HID, _hid_link, _pn532),
        EncoderModel("er302_hid", Transport.HID, _hid_link, _er302),
    )
}


@dataclass(frozen=True, slots=True)
class EncoderSetup:
    """One encoder as the desk knows it: a name for people, its model, and its identity."""

    name: str
    model: EncoderModel
    identity: UsbIdentity

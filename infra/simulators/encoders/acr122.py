"""An ACR122U on its bulk pipe: CCID frames around pseudo-APDUs around the same PN532."""

from infra.simulators.encoders.pn532 import Pn532
from infra.simulators.wires.device import Answer, Faults, expect

OK, FAILED, UNSUPPORTED = b"\x90\x00", b"\x63\x00", b"\x6a\x81"


class Acr122:
    """The reader. Faults: busy (asks for time first), stale (answers the last question first), refused."""

    def __init__(self, chip: Pn532, faults: Faults | None = None) -> None:
        self.chip = chip
        self.faults = faults or Faults()
        chip.awake = chip.configured = True

    def receive(self, data: bytes) -> list[Answer]:
        """Take one bulk transfer: one frame."""
        kind, size, slot, sequence = data[0], int.from_bytes(data[1:5], "little"), data[5], data[6]
        expect(len(data) == 10 + size, "a transfer is one frame")
        fault = self.faults.next()
        response = self._apdu(data[10:]) if kind == 0x6F else b"\x3b\x00"
        answer = Answer(_block(response, slot, sequence, 2 if fault != "refused" else 0x42))
        before = {
            "busy": [Answer(_block(b"", slot, sequence, 0x80))],
            "stale": [Answer(_block(response, slot, sequence - 1 & 255, 2))],
        }
        return [*before.get(fault, []), answer]

    def _apdu(self, apdu: bytes) -> bytes:
        if apdu[:4] == b"\xff\0\0\0" and apdu[5:6] == b"\xd4" and apdu[4] == len(apdu) - 5:
            reply = self.chip.reply(apdu[6:])
            return reply + OK if reply is not None else FAILED
        if apdu[:5] == b"\xff\xca\0\0\0":
            card = self.chip.card
            return card.uid + OK if card is not None and card.present else FAILED
        if apdu[:3] == b"\xff\0\x48":
            return b"ACR122U203"
        return OK if apdu[:3] in (b"\xff\0\x40", b"\xff\0\x51") else UNSUPPORTED


def _block(data: bytes, slot: int, sequence: int, status: int) -> bytes:
    return b"\x80" + len(data).to_bytes(4, "little") + bytes([slot, sequence, status, 0x81, 0]) + data

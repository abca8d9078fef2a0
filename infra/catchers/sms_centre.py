"""An operator's SMS centre in SMPP 3.4, which delivers to an outbox and keeps receipts to be fetched.

| address or fault | what happens |
|---|---|
| `+...0001`, `no_number` | refused: ESME_RINVDSTADR |
| `+...0002`, `undelivered` | taken, and told of as undelivered |
| `+...0003`, `silent` | taken, and never told of |
| `throttled` | refused for now: ESME_RTHROTTLED |
| `breaks` | taken, and the line breaks before the answer |
| `alive` | asked whether we live before it answers |

It reads bytes by itself, and shares nothing with what speaks to it. Names are told in hexadecimal digits when
a message is taken, and in decimal ones in its receipt, as some centres do.
"""

import asyncio
import contextlib
import hmac
import struct
from collections import defaultdict, deque
from typing import Final

from infra.catchers.outbox import Outbox

USER: Final = "silk"
_HEAD: Final = struct.Struct(">4I")
_BINDS: Final = {0x1: "receiver", 0x2: "transmitter", 0x9: "transceiver"}
_UNLUCKY: Final = {"0001": "no_number", "0002": "undelivered", "0003": "silent"}
_REFUSED: Final = {"no_number": 0x0B, "throttled": 0x58}
LONGEST: Final = 70_000


class Centre:
    """What outlives sessions: parts that wait for the others, and receipts."""

    def __init__(self, outbox: Outbox, password: str) -> None:
        self.outbox, self.password = outbox, password
        self.faults, self.receipts = deque[str](), deque[bytes]()
        self.parts: dict[tuple[str, int], dict[int, str]] = defaultdict(dict)
        self.count = 0xA0


class CentreSession:
    """One client's session: PDUs in, PDUs out."""

    def __init__(self, centre: Centre) -> None:
        self._centre, self._bound, self.over = centre, "", False
        self._told = 0

    def received(self, raw: bytes) -> list[bytes]:
        """Take a PDU, and return what to say to it."""
        _, command, status, sequence = _HEAD.unpack(raw[:16])
        body = raw[16:]
        if command in _BINDS:
            return self._bind(command, sequence, body)
        if command == 0x4 and self._bound:
            return self._submit(sequence, body)
        if command == 0x6:
            self.over = True
            return [_pdu(0x80000006, sequence)]
        if command == 0x80000005 and self._centre.receipts and status == 0:
            self._centre.receipts.popleft()
            return self._next_receipt()
        return [] if command & 0x80000000 else [_pdu(0x80000000, sequence, 0x03)]

    def _bind(self, command: int, sequence: int, body: bytes) -> list[bytes]:
        user, password, _ = body.split(b"\0", 2)
        expected = self._centre.password.encode()
        if user.decode() != USER or not hmac.compare_digest(password, expected):
            return [_pdu(command | 0x80000000, sequence, 0x0E, b"\0")]
        self._bound = _BINDS[command]
        answer = _pdu(command | 0x80000000, sequence, body=b"catcher\0")
        return [answer, *(self._next_receipt() if self._bound != "transmitter" else [])]

    def _submit(self, sequence: int, body: bytes) -> list[bytes]:
        sent = _Sent(body)
        fault = self._centre.faults.popleft() if self._centre.faults else _UNLUCKY.get(sent.to[-4:], "")
        if fault in _REFUSED:
            return [_pdu(0x80000004, sequence, _REFUSED[fault], b"\0")]
        self._centre.count += 1
        name = self._centre.count
        self._take(sent)
        if sent.wants_receipt and fault != "silent":
            self._centre.receipts.append(
                _receipt(sent, name, "UNDELIV" if fault == "undelivered" else "DELIVRD")
            )
        if fault == "breaks":
            self.over = True
            return []
        lives = [_pdu(0x15, 7_000)] if fault == "alive" else []
        return [*lives, _pdu(0x80000004, sequence, body=f"{name:x}".encode() + b"\0")]

    def _take(self, sent: "_Sent") -> None:
        """Keep a message once all its parts are there, as a telephone shows it."""
        if sent.of == 1:
            self._centre.outbox.add("sms", sent.to, sender=sent.sender, text=sent.text)
            return
        parts = self._centre.parts[sent.to, sent.number]
        parts[sent.at] = sent.text
        if len(parts) == sent.of:
            text = "".join(parts[at] for at in sorted(parts))
            self._centre.outbox.add("sms", sent.to, sender=sent.sender, text=text)
            del self._centre.parts[sent.to, sent.number]

    def _next_receipt(self) -> list[bytes]:
        self._told += 1
        return [_pdu(0x5, self._told, body=self._centre.receipts[0])] if self._centre.receipts else []


class _Sent:
    """A `submit_sm`, read field by field."""

    def __init__(self, body: bytes) -> None:
        fields = _Reader(body)
        fields.text()
        fields.skip(2)
        self.sender = fields.text()
        fields.skip(2)
        self.to = f"+{fields.text()}"
        kind = fields.byte()
        fields.skip(2)
        fields.text()
        fields.text()
        self.wants_receipt = bool(fields.byte() & 1)
        fields.skip(1)
        coding = fields.byte()
        fields.skip(1)
        said = fields.take(fields.byte())
        self.number, self.of, self.at = 0, 1, 1
        if kind & 0x40:
            self.number, self.of, self.at = said[3], said[4], said[5]
            said = said[6:]
        self.text = (said or fields.payload()).decode("utf-16-be" if coding == 8 else "ascii")


class _Reader:
    """Reads bytes from the front."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw

    def take(self, size: int) -> bytes:
        if len(self._raw) < size:
            raise ValueError("a PDU that breaks off")
        taken, self._raw = self._raw[:size], self._raw[size:]
        return taken

    def skip(self, size: int) -> None:
        self.take(size)

    def byte(self) -> int:
        return self.take(1)[0]

    def text(self) -> str:
        return self.take(self._raw.index(b"\0") + 1)[:-1].decode("ascii")

    def payload(self) -> bytes:
        while self._raw:
            tag, size = struct.unpack(">HH", self.take(4))
            value = self.take(size)
            if tag == 0x0424:
                return value
        return b""


def _receipt(sent: _Sent, name: int, state: str) -> bytes:
    words = (
        f"id:{name} sub:001 dlvrd:001 submit date:2601010000 done date:2601010001 stat:{state} err:000 text:"
    )
    ends = b"\0\1\1" + sent.to[1:].encode() + b"\0\5\0" + sent.sender.encode() + b"\0"
    return ends + b"\x04\0\0\0\0\0\0\0\0" + bytes([len(words)]) + words.encode()


def _pdu(command: int, sequence: int, status: int = 0, body: bytes = b"") -> bytes:
    return _HEAD.pack(16 + len(body), command, status, sequence) + body


async def serve_centre(centre: Centre, port: int) -> asyncio.Server:
    """Take SMS on loopback, and return the server."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        session = CentreSession(centre)
        # A client may hang up wherever it likes; what is no PDU ends its session.
        with contextlib.closing(writer), contextlib.suppress(OSError, EOFError, ValueError):
            while not session.over:
                head = await reader.readexactly(4)
                size = int.from_bytes(head)
                if not _HEAD.size <= size <= LONGEST:
                    return
                for each in session.received(head + await reader.readexactly(size - 4)):
                    writer.write(each)
                await writer.drain()

    return await asyncio.start_server(talk, "127.0.0.1", port)

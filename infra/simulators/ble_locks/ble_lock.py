"""A TTLock on the air: deaf to a wrong check, trusting whoever has its key, judging by its own clock."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from cryptography.hazmat.primitives import padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from infra.simulators.wires.device import Answer, Faults

OK, FAILED = 1, 0
NO_PERMISSION, BAD_ADMIN, BAD_PROOF, TAKEN, MISSING, FULL, NO_CARD, BAD_LENGTH, UNKNOWN = (
    *(0x02, 0x03, 0x08, 0x14, 0x15),
    *(0x16, 0x18, 0x17, 0x1B),
)
PIECE = 20
# The vendor's check, as a table of 16 rows; entry 33 is 07.
CHECK = bytes.fromhex(
    "005ebce2613fdd83c29c7e20a3fd1f419dc3217ffca2401e5f01e3bd3e6082dc"
    "23079fc1421cfea0e1bf5d0380de3c62bee0025cdf81633d7c22c09e1d43a1ff"
    "4618faa427799bc584da3866e5bb5907db856739bae406581947a5fb7826c49a"
    "653bd987045ab8e6a7f91b45c6987a24f8a6441a99c7257b3a6486d85b05e7b9"
    "8cd2306eedb3510f4e10f2ac2f7193cd114fadf3702ecc92d38d6f31b2ec0e50"
    "aff1134dce90722c6d33d18f0c52b0ee326c8ed0530defb1f0ae4c1291cf2d73"
    "ca947628abf517490856b4ea6937d58b5709ebb536688ad495cb2977f4aa4816"
    "e9b7550b88d6346a2b7597c94a14f6a8742ac896154ba9f7b6e80a54d7896b35"
)


@dataclass
class BleLock:
    """The lock. Faults: silent, push (news first), clear_push, bad_check, drop (the line), lost_answer."""

    now: Callable[[], datetime]
    key: bytes = bytes(range(16))
    admin: bytes = bytes.fromhex("26d2fc7b")
    unlock: int = 0x0109FE80
    mac: str = "AA:BB:CC:11:22:33"
    battery: int = 87
    scene: int = 2
    room_for: int = 250
    passcodes: dict[str, tuple[bytes, bytes]] = field(default_factory=dict)
    cards: dict[bytes, tuple[bytes, bytes]] = field(default_factory=dict)
    skew: timedelta = timedelta()
    keeps_time: bool = True
    faults: Faults = field(default_factory=Faults)
    asked: list[int] = field(default_factory=list)
    pieces: int = 0
    dropped: bool = False
    proved: bool = False
    spoken_to: bytes = b""
    _challenge: int | None = None
    _heard: bytes = b""

    def greeting(self) -> list[Answer]:
        """Begin a connection."""
        self._heard, self.proved, self._challenge, self.dropped = b"", False, None, False
        return []

    def receive(self, data: bytes) -> list[Answer]:
        """Take one packet."""
        self.pieces += 1
        self._heard += data
        start = self._heard.find(b"\x7f\x5a")
        if start < 0 or len(self._heard) < start + 12:
            return []
        end = start + 12 + self._heard[start + 11]
        if len(self._heard) < end + 3:
            return []
        frame, self._heard = self._heard[start : end + 1], b""
        return self._frame(frame) if check(frame[:-1]) == frame[-1] else []

    def opens(self, code: str, at: datetime) -> bool:
        """Say whether a passcode opens the door: by the lock's own clock, whatever the time is."""
        shown = (at + self.skew).replace(tzinfo=None)
        start, end = self.passcodes.get(code, (b"", b""))
        stamp = bytes([shown.year - 2000, shown.month, shown.day, shown.hour, shown.minute])
        return bool(start) and start <= stamp and (not end or stamp < end)

    def advertised(self) -> bytes:
        """Return the manufacturer data after the company's number."""
        return (
            bytes([self.scene, 0, self.battery, 0, 0, 0, 0]) + bytes.fromhex(self.mac.replace(":", ""))[::-1]
        )

    def _frame(self, frame: bytes) -> list[Answer]:
        command, plain = frame[9], self._decrypted(frame[12:-1])
        self.asked.append(command)
        self.spoken_to = frame[2:9]
        fault = self.faults.next()
        if fault == "drop":
            self.dropped = True
        if fault in ("silent", "drop"):
            return []
        status, data = self._do(command, plain)
        if fault == "lost_answer":
            self.dropped = True
            return []
        answer = self._answer(frame[2:9], bytes([command, status]) + data)
        if fault == "bad_check":
            answer = answer[:-3] + bytes([answer[-3] ^ 1]) + answer[-2:]
        news = {
            "push": self._answer(frame[2:9], bytes([0x14, 1, self.battery, 0, 2])),
            "clear_push": self._answer(frame[2:9], bytes([0x14, 1, self.battery]), clear=True),
        }.get(fault, b"")
        return [Answer(part) for whole in (news, answer) for part in _pieces(whole)]

    def _do(self, command: int, plain: bytes) -> tuple[int, bytes]:
        table: dict[int, Callable[[bytes], tuple[int, bytes]]] = {
            0x41: self._check_admin,
            0x30: self._prove,
            0x34: self._read_clock,
            0x43: self._set_clock,
            0x03: self._passcode,
            0x05: self._card,
            0x14: lambda _: (OK, bytes([self.battery, 0, 2])),
        }
        if command not in table:
            return FAILED, bytes([UNKNOWN])
        if command in (0x03, 0x05, 0x43) and not self.proved:
            return FAILED, bytes([NO_PERMISSION])
        return table[command](plain)

    def _check_admin(self, plain: bytes) -> tuple[int, bytes]:
        if plain[:4] != self.admin or len(plain) != 11:
            return FAILED, bytes([BAD_ADMIN])
        self._challenge = 0xFFFFFF00 + len(self.asked) % 256
        return OK, self._challenge.to_bytes(4, "big")

    def _prove(self, plain: bytes) -> tuple[int, bytes]:
        wanted = None if self._challenge is None else (self._challenge + self.unlock) % 2**32
        self.proved = wanted is not None and plain == wanted.to_bytes(4, "big")
        self._challenge = None
        return (OK, bytes([self.battery])) if self.proved else (FAILED, bytes([BAD_PROOF]))

    def _read_clock(self, _: bytes) -> tuple[int, bytes]:
        shown = self.now() + self.skew
        clock = (shown.year - 2000, shown.month, shown.day, shown.hour, shown.minute, shown.second)
        return OK, bytes(clock)

    def _set_clock(self, plain: bytes) -> tuple[int, bytes]:
        if len(plain) != 6:
            return FAILED, bytes([BAD_LENGTH])
        year, month, day, hour, minute, second = plain
        told = datetime(2000 + year, month, day, hour, minute, second, tzinfo=self.now().tzinfo)
        if self.keeps_time:
            self.skew = told - self.now()
        return OK, bytes([self.battery])

    def _passcode(self, plain: bytes) -> tuple[int, bytes]:
        verb, kind, length = plain[:3]
        code, rest = plain[3 : 3 + length].decode("ascii"), plain[3 + length :]
        if len(rest) != {(2, 1): 5, (2, 3): 10, (3, 1): 0, (3, 3): 0}.get((verb, kind), -1):
            return FAILED, bytes([BAD_LENGTH])
        if verb == 3:
            return self._removed(self.passcodes.pop(code, None), MISSING)
        if code in self.passcodes:
            return FAILED, bytes([TAKEN])
        if len(self.passcodes) >= self.room_for:
            return FAILED, bytes([FULL])
        self.passcodes[code] = (rest[:5], rest[5:])
        return OK, bytes([self.battery])

    def _card(self, plain: bytes) -> tuple[int, bytes]:
        verb, rest = plain[0], plain[1:]
        if verb == 3 and len(rest) in (4, 8):
            return self._removed(self.cards.pop(rest, None), NO_CARD)
        if verb != 2 or len(rest) not in (14, 18):
            return FAILED, bytes([BAD_LENGTH])
        self.cards[rest[:-10]] = (rest[-10:-5], rest[-5:])
        return OK, bytes([self.battery])

    def _removed(self, found: object, missing: int) -> tuple[int, bytes]:
        return (FAILED, bytes([missing])) if found is None else (OK, bytes([self.battery]))

    def _answer(self, version: bytes, plain: bytes, *, clear: bool = False) -> bytes:
        data = plain if clear else self._encrypted(plain)
        checked = b"\x7f\x5a" + version + bytes([0x54, 0 if clear else 0xAA, len(data)]) + data
        return checked + bytes([check(checked)]) + b"\r\n"

    def _decrypted(self, data: bytes) -> bytes:
        if not data:
            return b""
        worker = Cipher(algorithms.AES(self.key), modes.CBC(self.key)).decryptor()
        plain = bytes(worker.update(data) + worker.finalize())
        return plain[: -plain[-1]]

    def _encrypted(self, plain: bytes) -> bytes:
        padder = padding.PKCS7(128).padder()
        worker = Cipher(algorithms.AES(self.key), modes.CBC(self.key)).encryptor()
        return bytes(worker.update(padder.update(plain) + padder.finalize()) + worker.finalize())


def check(data: bytes) -> int:
    """Return the vendor's check."""
    value = 0
    for byte in data:
        value = CHECK[value ^ byte]
    return value


def _pieces(whole: bytes) -> list[bytes]:
    return [whole[at : at + PIECE] for at in range(0, len(whole), PIECE)]

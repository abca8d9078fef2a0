"""Values as Terraform and its providers pass them: MessagePack, with an extension for what is not known."""

import struct
from dataclasses import dataclass


@dataclass(frozen=True)
class Unknown:
    """A value that only an apply will tell; it may say what it will be like."""

    code: int = 0
    about: bytes = b"\0"


UNKNOWN = Unknown()
FIXED = {
    0xC0: None,
    0xC2: False,
    0xC3: True,
}
NUMBERS = dict(
    zip(range(0xCA, 0xD4), (">f", ">d", ">B", ">H", ">I", ">Q", ">b", ">h", ">i", ">q"), strict=True)
)
_SIZED = {"bytes": 0xC4, "ext": 0xC7, "text": 0xD9}
LENGTHS = {
    code + at: (form, kind) for kind, code in _SIZED.items() for at, form in enumerate((">B", ">H", ">I"))
}
LENGTHS |= {0xDC: (">H", "list"), 0xDD: (">I", "list"), 0xDE: (">H", "map"), 0xDF: (">I", "map")}


def unpacked(data):
    """Return the value that some bytes are."""
    return _Reader(data).value()


class _Reader:
    def __init__(self, data):
        self._data, self._at = data, 0

    def _take(self, size):
        self._at += size
        return self._data[self._at - size : self._at]

    def _number(self, form):
        return struct.unpack(form, self._take(struct.calcsize(form)))[0]

    def value(self):
        """Read one value."""
        head = self._number(">B")
        if head <= 0x7F or head >= 0xE0:
            return head if head <= 0x7F else head - 256
        if head <= 0xBF:
            kind, size = ("map", head & 15) if head <= 0x8F else ("list", head & 15)
            if head >= 0xA0:
                kind, size = "text", head & 31
            return self._of(kind, size)
        if head in FIXED:
            return FIXED[head]
        if head in NUMBERS:
            return self._number(NUMBERS[head])
        if 0xD4 <= head <= 0xD8:
            return self._of("ext", 1 << (head - 0xD4))
        form, kind = LENGTHS[head]
        return self._of(kind, self._number(form))

    def _of(self, kind, size):
        match kind:
            case "text":
                return self._take(size).decode()
            case "bytes":
                return self._take(size)
            case "list":
                return [self.value() for _ in range(size)]
            case "map":
                return {self.value(): self.value() for _ in range(size)}
            case _:
                return Unknown(self._number(">B"), self._take(size))


def packed(value):
    """Return a value as bytes."""
    if value is None or isinstance(value, bool):
        return bytes([next(code for code, each in FIXED.items() if each is value)])
    return PACKED[type(value)](value)


def _of_unknown(value):
    return b"\xc7" + struct.pack(">BB", len(value.about), value.code) + value.about


def _of_text(value):
    return b"\xdb" + struct.pack(">I", len(value.encode())) + value.encode()


def _of_list(value):
    return b"\xdd" + struct.pack(">I", len(value)) + b"".join(map(packed, value))


def _of_map(value):
    pairs = b"".join(packed(key) + packed(each) for key, each in value.items())
    return b"\xdf" + struct.pack(">I", len(value)) + pairs


PACKED = {
    Unknown: _of_unknown,
    int: lambda value: b"\xd3" + struct.pack(">q", value),
    float: lambda value: b"\xcb" + struct.pack(">d", value),
    str: _of_text,
    list: _of_list,
    dict: _of_map,
}

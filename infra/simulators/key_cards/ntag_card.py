"""An NTAG213: 45 pages of four bytes, lock bits that only ever get set, a page that is written once."""

from dataclasses import dataclass, field

PAGES = 45
LAST_USER_PAGE = 39
CONTAINER = bytes.fromhex("e1101200")


@dataclass
class NtagCard:
    """The tag: what it holds, and what is to go wrong next."""

    uid: bytes = bytes.fromhex("04a1b2c3d4e5f6")
    sak: int = 0x00
    atqa: bytes = b"\x00\x44"
    pages: list[bytes] = field(default_factory=list)
    present: bool = True
    worn_page: int | None = None

    def __post_init__(self) -> None:
        if not self.pages:
            self.pages = [bytes(4) for _ in range(PAGES)]
            self.pages[0] = self.uid[:3] + bytes([0x88 ^ self.uid[0] ^ self.uid[1] ^ self.uid[2]])
            self.pages[1], self.pages[3] = self.uid[3:7], CONTAINER

    def select(self) -> bool:
        """Answer to a call into the field."""
        return self.present

    def read(self, page: int) -> bytes | None:
        """Return four pages from one on, around the end to the beginning."""
        if not self.present or page >= PAGES:
            return None
        return b"".join(self.pages[(page + n) % PAGES] for n in range(4))

    def write_page(self, page: int, data: bytes) -> bool:
        """Write a page where nothing locks it."""
        if not self.present or len(data) != 4 or not 2 <= page < PAGES or self._locked(page):
            return False
        if page in (2, 3):
            # Lock bits and the container are only ever added to.
            kept = self.pages[page]
            data = bytes(old | new for old, new in zip(kept, data, strict=True))
            data = kept[:2] + data[2:] if page == 2 else data
        self.pages[page] = bytes([data[0] ^ 0x01]) + data[1:] if page == self.worn_page else data
        return True

    def _locked(self, page: int) -> bool:
        low, high = self.pages[2][2:4]
        bit = (low | high << 8) >> page & 1 if 3 <= page < 16 else 0
        return bool(bit)

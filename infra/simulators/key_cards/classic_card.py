"""A MIFARE Classic 1K card: sixteen sectors, two keys each, access bits enforced, writes that can be torn."""

from dataclasses import dataclass, field

NEW_TRAILER = bytes.fromhex("ffffffffffffff078069ffffffffffff")
# What the data sheet allows, by C1 C2 C3 as one number: which keys may do it.
READ_DATA = {0: "AB", 2: "AB", 4: "AB", 6: "AB", 1: "AB", 3: "B", 5: "B", 7: ""}
WRITE_DATA = {0: "AB", 2: "", 4: "B", 6: "B", 1: "", 3: "B", 5: "", 7: ""}
WRITE_KEYS = {0: "A", 2: "", 4: "B", 6: "", 1: "A", 3: "B", 5: "", 7: ""}
READ_BITS = {0: "A", 2: "A", 4: "AB", 6: "AB", 1: "A", 3: "AB", 5: "AB", 7: "AB"}
WRITE_BITS = {0: "", 2: "", 4: "", 6: "", 1: "A", 3: "B", 5: "B", 7: ""}
READ_B = {0: "A", 2: "A", 4: "", 6: "", 1: "A", 3: "", 5: "", 7: ""}


@dataclass
class ClassicCard:
    """The card: what it holds, which sector is open to whom, and what is to go wrong next."""

    uid: bytes = bytes.fromhex("deadbeef")
    sak: int = 0x08
    atqa: bytes = b"\x00\x04"
    blocks: list[bytes] = field(default_factory=list)
    present: bool = True
    halted: bool = False
    open_sector: int | None = None
    open_with: str = ""
    bricked: set[int] = field(default_factory=set)
    tear_write: int | None = None
    leave_after_writes: int | None = None
    writes: int = 0

    def __post_init__(self) -> None:
        if not self.blocks:
            check = 0
            for byte in self.uid[:4]:
                check ^= byte
            self.blocks = [bytes(16) if n % 4 != 3 else NEW_TRAILER for n in range(64)]
            self.blocks[0] = self.uid[:4] + bytes([check, self.sak]) + bytes(10)

    def select(self) -> bool:
        """Answer to a call into the field."""
        self.open_sector, self.halted = None, False
        return self.present

    def authenticate(self, block: int, letter: str, key: bytes, uid: bytes) -> bool:
        """Open a sector, or halt."""
        sector = block // 4
        allowed = self._awake and block < 64 and uid == self.uid[-4:] and sector not in self.bricked
        if allowed and self._key(sector, letter) == key:
            self.open_sector, self.open_with = sector, letter
            return True
        self.open_sector, self.halted = None, True
        return False

    def read(self, block: int) -> bytes | None:
        """Return a block, with what may not be read as zeros; None is a refusal."""
        if not self._may(READ_DATA if block % 4 != 3 else READ_BITS, block):
            return None
        if block % 4 != 3:
            return self.blocks[block]
        trailer = self.blocks[block]
        shown_b = trailer[10:] if self._granted(READ_B, block) else bytes(6)
        return bytes(6) + trailer[6:10] + shown_b

    def write(self, block: int, data: bytes) -> bool:
        """Write a block as far as the access bits and the clerk's hand allow."""
        if block == 0 or len(data) != 16 or not self._writable(block):
            return False
        self.writes += 1
        if self.leave_after_writes is not None and self.writes > self.leave_after_writes:
            self.present = False
            return False
        self.blocks[block] = data[:7] + self.blocks[block][7:] if self.tear_write == self.writes else data
        if self.tear_write == self.writes:
            self.present = False
        if block % 4 == 3 and _bits(self.blocks[block]) is None:
            self.bricked.add(block // 4)
        return self.present

    @property
    def _awake(self) -> bool:
        return self.present and not self.halted

    def _writable(self, block: int) -> bool:
        if block % 4 != 3:
            return self._may(WRITE_DATA, block)
        return self._may(WRITE_KEYS, block) and self._may(WRITE_BITS, block)

    def _may(self, table: dict[int, str], block: int) -> bool:
        return self._awake and self.open_sector == block // 4 and self._granted(table, block)

    def _granted(self, table: dict[int, str], block: int) -> bool:
        bits = _bits(self.blocks[block // 4 * 4 + 3])
        return bits is not None and self.open_with in table[bits[block % 4]]

    def _key(self, sector: int, letter: str) -> bytes | None:
        trailer = self.blocks[sector * 4 + 3]
        bits = _bits(trailer)
        if bits is None or (letter == "B" and READ_B[bits[3]]):
            return None
        return trailer[:6] if letter == "A" else trailer[10:]


def _bits(trailer: bytes) -> list[int] | None:
    """Read C1 C2 C3 of each block as one number; None where the inverses disagree."""
    b6, b7, b8 = trailer[6:9]
    conditions = []
    for n in range(4):
        c1, c2, c3 = b7 >> 4 + n & 1, b8 >> n & 1, b8 >> 4 + n & 1
        if (b6 >> n & 1, b6 >> 4 + n & 1, b7 >> n & 1) != (1 - c1, 1 - c2, 1 - c3):
            return None
        conditions.append(c1 << 2 | c2 << 1 | c3)
    return conditions

"""What a QR code shows: its number, its window and a time, proven by a digest that the lock can compute."""

from hashlib import sha256

from infra.simulators.ttlock.rows import QrCode
from infra.simulators.ttlock.verdict import Reason, judge
from infra.simulators.ttlock.window import MINUTE_MS, Window

PARTS = 6


def qr_content(secret: str, code: QrCode, now_ms: int) -> str:
    """Return the content as shown from now on; it goes stale after the code's refresh time."""
    numbers = (code.number, code.window.start, code.window.end, now_ms, code.refresh_minutes)
    plain = ".".join(map(str, numbers))
    return f"{plain}.{_proof(secret, code.lock_id, plain)}"


def valid_qr(secret: str, lock_id: int, content: str, lock_ms: int) -> tuple[str, Reason]:
    """Return the number that a content claims, and whether this lock honours it at its own time."""
    plain, _, proof = content.rpartition(".")
    if content.count(".") != PARTS - 1 or proof != _proof(secret, lock_id, plain):
        return "", Reason.UNKNOWN
    number, start, end, shown, minutes = map(int, plain.split("."))
    if lock_ms >= shown + minutes * MINUTE_MS:
        return str(number), Reason.EXPIRED
    return str(number), judge(Window(start, end), lock_ms)


def _proof(secret: str, lock_id: int, plain: str) -> str:
    return sha256(f"{secret}|{lock_id}|{plain}".encode()).hexdigest()[:16]

"""Somebody stands at a door and tries it: does it open now, and why not?"""

from dataclasses import dataclass

from infra.simulators.ttlock.cloud import Cloud
from infra.simulators.ttlock.door import RELOCKS_AFTER_MS, Door, Written
from infra.simulators.ttlock.qr_content import valid_qr
from infra.simulators.ttlock.random_codes import ERASE
from infra.simulators.ttlock.rows import FROZEN_KEY, Record
from infra.simulators.ttlock.upload import upload
from infra.simulators.ttlock.verdict import Reason, judge

BY_APP, BY_PASSCODE, BY_CARD, BY_QR = (1, 1), (4, 4), (7, 17), (57, 57)
"""Record types: the cloud's enumeration, then the lock's own."""
QR_EXPIRED = (58, 58)


@dataclass(frozen=True, slots=True)
class Attempt:
    """What came of it."""

    reason: Reason

    @property
    def opens(self) -> bool:
        """Whether the door is open now."""
        return self.reason is Reason.OPEN


def try_pin(cloud: Cloud, lock_id: int, pin: str) -> Attempt:
    """Enter digits on the keypad; the lock's memory and its own clock decide."""
    door = _door(cloud, lock_id)
    rows = [row for row in cloud.passcodes.of(lock_id) if row.code == pin]
    reason = _pin_verdict(cloud, door, pin)
    if reason is Reason.UNKNOWN and rows:
        reason = Reason.NEVER_WRITTEN
    if reason is Reason.OPEN:
        _use_code(door, pin)
    return _settle(cloud, door, BY_PASSCODE, reason, rows[0].name if rows else "", pin)


def try_card(cloud: Cloud, lock_id: int, number: str) -> Attempt:
    """Hold a card to the reader."""
    door = _door(cloud, lock_id)
    rows = [row for row in cloud.cards.of(lock_id) if row.number == number]
    reason = _written_verdict(door, door.cards.get(number), door.lock_ms(cloud.now_ms()))
    if reason is Reason.UNKNOWN and rows:
        reason = Reason.NEVER_WRITTEN
    if reason is Reason.OPEN:
        door.cards[number].used = True
    return _settle(cloud, door, BY_CARD, reason, rows[0].name if rows else "", number)


def try_ekey(cloud: Cloud, lock_id: int, key_id: int, *, cached: bool = False) -> Attempt:
    """Use a phone: an honest app asks the cloud, one with a cached key asserts what it likes."""
    door = _door(cloud, lock_id)
    key = door.phones.get(key_id)
    reason = _impaired(door) or (Reason.OPEN if key else Reason.UNKNOWN)
    if reason is Reason.OPEN and not cached:
        reason = _app_verdict(cloud, key_id)
    return _settle(cloud, door, BY_APP, reason, key.holder if key else "", "")


def try_qr(cloud: Cloud, lock_id: int, content: str) -> Attempt:
    """Show a QR code; the lock computes whether it is a fresh one of its own."""
    door = _door(cloud, lock_id)
    lock_ms = door.lock_ms(cloud.now_ms())
    number, valid = valid_qr(cloud.code_secret, lock_id, content, lock_ms)
    reason = _impaired(door) or valid
    types = QR_EXPIRED if reason is Reason.EXPIRED else BY_QR
    return _settle(cloud, door, types, reason, "", number)


def _door(cloud: Cloud, lock_id: int) -> Door:
    cloud.lock(lock_id)
    return cloud.doors[lock_id]


def _impaired(door: Door) -> Reason | None:
    if not door.battery:
        return Reason.NO_POWER
    return Reason.FROZEN if door.frozen else None


def _pin_verdict(cloud: Cloud, door: Door, pin: str) -> Reason:
    lock_ms = door.lock_ms(cloud.now_ms())
    algorithmic = door.algorithmic.get(pin)
    if pin in door.codes or algorithmic is None:
        return _written_verdict(door, door.codes.get(pin), lock_ms)
    return _impaired(door) or algorithmic.verdict(lock_ms)


def _written_verdict(door: Door, written: Written | None, lock_ms: int) -> Reason:
    impaired = _impaired(door)
    if impaired:
        return impaired
    return judge(written.window, lock_ms) if written else Reason.UNKNOWN


def _use_code(door: Door, pin: str) -> None:
    if pin in door.codes:
        door.codes[pin].used = True
        return
    code = door.algorithmic[pin]
    code.used = True
    if code.kind == ERASE:
        door.erase_codes()


def _app_verdict(cloud: Cloud, key_id: int) -> Reason:
    key = cloud.ekeys.get(key_id)
    if key is None:
        return Reason.DELETED
    return Reason.FROZEN if key.status == FROZEN_KEY else judge(key.window, cloud.now_ms())


def _settle(
    cloud: Cloud, door: Door, types: tuple[int, int], reason: Reason, username: str, secret: str
) -> Attempt:
    attempt = Attempt(reason)
    now_ms = cloud.now_ms()
    if attempt.opens:
        door.open_until = now_ms + RELOCKS_AFTER_MS
    if reason is not Reason.NO_POWER:
        record = Record(
            cloud.next_id(), door.lock_id, *types, attempt.opens, username, secret, door.lock_ms(now_ms)
        )
        door.note(record)
        upload(cloud, door.lock_id)
    return attempt

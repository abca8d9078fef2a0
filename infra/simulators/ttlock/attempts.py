"""An attempt at a TTLock door: does it open now, and why not?"""

from infra.simulators.kit.vendor import Try
from infra.simulators.kit.windows import Reason
from infra.simulators.ttlock.cloud import Cloud
from infra.simulators.ttlock.computed_codes import ERASE, valid_qr
from infra.simulators.ttlock.door import RELOCKS_AFTER_MS, Door
from infra.simulators.ttlock.gateway_link import upload
from infra.simulators.ttlock.rows import FROZEN_KEY, Record

BY_APP, BY_PASSCODE, BY_CARD, BY_QR = (1, 1), (4, 4), (7, 17), (57, 57)
"""Record types: the cloud's enumeration, then the lock's own."""
QR_EXPIRED = (58, 58)


def try_door(cloud: Cloud, door: Door, tried: Try) -> Reason:
    """Try a door with one thing."""
    if tried.pin is not None:
        return try_pin(cloud, door, tried.pin)
    if tried.card is not None:
        return try_card(cloud, door, tried.card)
    if tried.ekey is not None:
        return try_ekey(cloud, door, int(tried.ekey), cached=tried.phone == "cached")
    return try_qr(cloud, door, tried.qr or "")


def try_pin(cloud: Cloud, door: Door, pin: str) -> Reason:
    """Enter digits on the keypad; the lock's memory and its own clock decide."""
    rows = [row for row in cloud.passcodes.of(door.lock_id) if row.code == pin]
    reason = _pin_verdict(cloud, door, pin)
    if reason is Reason.UNKNOWN and rows:
        reason = Reason.NEVER_WRITTEN
    if reason is Reason.OPEN:
        _use_code(door, pin)
    return _settle(cloud, door, BY_PASSCODE, reason, rows[0].name if rows else "", pin)


def try_card(cloud: Cloud, door: Door, number: str) -> Reason:
    """Hold a card to the reader."""
    rows = [row for row in cloud.cards.of(door.lock_id) if row.number == number]
    reason = door.verdict(door.cards.get(number), cloud.now_ms())
    if reason is Reason.UNKNOWN and rows:
        reason = Reason.NEVER_WRITTEN
    if reason is Reason.OPEN:
        door.cards[number].used = True
    return _settle(cloud, door, BY_CARD, reason, rows[0].name if rows else "", number)


def try_ekey(cloud: Cloud, door: Door, key_id: int, *, cached: bool = False) -> Reason:
    """Use a phone: an honest app asks the cloud, one with a cached key asserts what it likes."""
    key = door.phones.get(key_id)
    reason = door.impaired() or (Reason.OPEN if key else Reason.UNKNOWN)
    if reason is Reason.OPEN and not cached:
        reason = _app_verdict(cloud, key_id)
    return _settle(cloud, door, BY_APP, reason, key.holder if key else "", "")


def try_qr(cloud: Cloud, door: Door, content: str) -> Reason:
    """Show a QR code; the lock computes whether it is a fresh one of its own."""
    lock_ms = door.lock_ms(cloud.now_ms())
    number, valid = valid_qr(cloud.code_secret, door.lock_id, content, lock_ms)
    reason = door.impaired() or valid
    types = QR_EXPIRED if reason is Reason.EXPIRED else BY_QR
    return _settle(cloud, door, types, reason, "", number)


def _pin_verdict(cloud: Cloud, door: Door, pin: str) -> Reason:
    algorithmic, now_ms = door.algorithmic.get(pin), cloud.now_ms()
    if pin in door.codes or algorithmic is None:
        return door.verdict(door.codes.get(pin), now_ms)
    return door.impaired() or algorithmic.verdict(door.lock_ms(now_ms))


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
    return Reason.FROZEN if key.status == FROZEN_KEY else key.window.judged(cloud.now_ms())


def _settle(
    cloud: Cloud, door: Door, types: tuple[int, int], reason: Reason, username: str, secret: str
) -> Reason:
    opens, now_ms = reason is Reason.OPEN, cloud.now_ms()
    if opens:
        door.open_until = now_ms + RELOCKS_AFTER_MS
    if reason is not Reason.NO_POWER:
        record = Record(cloud.next_id(), door.lock_id, *types, opens, username, secret, door.lock_ms(now_ms))
        door.note(record)
        upload(cloud, door.lock_id)
    return reason

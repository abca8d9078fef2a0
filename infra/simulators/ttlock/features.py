"""A lock's feature value: a hexadecimal number whose bits say what the lock can do."""

PASSCODE, CARD, FREEZE, CYCLIC, HOTEL_CARD, QR_CODE = 0, 1, 11, 12, 19, 44
_MANAGES_PASSCODES, _UNLOCKS_BY_GATEWAY = 7, 10


def feature_value(*bits: int) -> str:
    """Return the value with these bits set."""
    return f"{sum(1 << bit for bit in bits):X}"


def has_feature(value: str, bit: int) -> bool:
    """Tell whether a bit is set."""
    return bool(int(value, 16) >> bit & 1)


ROOM_LOCK = feature_value(PASSCODE, CARD, _MANAGES_PASSCODES, _UNLOCKS_BY_GATEWAY, FREEZE, CYCLIC, HOTEL_CARD)
"""A keypad, a card reader, a gateway's command; no QR reader."""

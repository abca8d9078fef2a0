"""Standard Webhooks: signed by HMAC-SHA256 over id, time and body, good for five minutes, rotated by overlap.

The secret is `whsec_` and base64 of 24 to 64 bytes. While it changes there are two, and a sender may sign
with both: `webhook-signature` is a list. The secret is chosen by the address, never by what the body says.
"""

import base64
import binascii
import hmac
import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from shared.domain.secret import Secret

ID, TIMESTAMP, SIGNATURE = "webhook-id", "webhook-timestamp", "webhook-signature"
PREFIX: Final = b"whsec_"
SHORTEST, LONGEST = 24, 64
TOLERANCE: Final = timedelta(minutes=5)
MOST_SIGNATURES: Final = 8
_ID: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z_:./=+-]{0,127}")
_SECONDS: Final = re.compile(r"[0-9]{1,11}")
_SIGNATURE: Final = re.compile(r"v1,[A-Za-z0-9+/]{43}=")


def message_id(headers: Mapping[str, str]) -> str | None:
    """Return the id of a message, if it is one."""
    found = headers.get(ID, "")
    return found if _ID.fullmatch(found) else None


def sent_at(headers: Mapping[str, str]) -> int | None:
    """Return the second of the epoch at which a message says that it was sent."""
    told = headers.get(TIMESTAMP, "")
    return int(told) if _SECONDS.fullmatch(told) else None


def signature(secret: Secret[bytes], id_: str, seconds: int, body: bytes) -> str | None:
    """Return the signature of a message by one secret; None where that is no such secret."""
    key = _key(secret)
    if key is None:
        return None
    signed = hmac.digest(key, f"{id_}.{seconds}.".encode() + body, "sha256")
    return f"v1,{base64.b64encode(signed).decode()}"


def proven(headers: Mapping[str, str], body: bytes, secrets: Sequence[Secret[bytes]], now: datetime) -> bool:
    """Say whether a message was signed with one of the secrets, within five minutes of now."""
    id_, seconds = message_id(headers), sent_at(headers)
    if id_ is None or seconds is None or abs(now.timestamp() - seconds) > TOLERANCE.total_seconds():
        return False
    told_twice = ", " in headers.get(SIGNATURE, "")
    given = [] if told_twice else headers.get(SIGNATURE, "").split(" ")[:MOST_SIGNATURES]
    wanted = [signature(each, id_, seconds, body) for each in secrets]
    # All are compared with all: how long it takes tells nothing of which was nearly right.
    found = [
        hmac.compare_digest(told.encode(), right.encode())
        for right in wanted
        if right is not None
        for told in given
        if told.isascii() and _SIGNATURE.fullmatch(told)
    ]
    return any(found)


def _key(secret: Secret[bytes]) -> bytes | None:
    text = secret.reveal().strip().removeprefix(PREFIX)
    try:
        key = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    return key if SHORTEST <= len(key) <= LONGEST else None

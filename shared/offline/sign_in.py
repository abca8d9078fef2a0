"""How somebody proves themselves at a desk that has no network: a PIN, against a slow, salted hash.

scrypt$<salt>$<base64 of 32 bytes>        N = 2^14, r = 8, p = 1
"""

import base64
import hashlib
import hmac
from typing import Final

_COST: Final = {"n": 2**14, "r": 8, "p": 1, "maxmem": 64 * 1024 * 1024, "dklen": 32}
SCHEME: Final = "scrypt"


def pin_hash(pin: str, salt: str) -> str:
    """Return what is kept of a PIN."""
    derived = hashlib.scrypt(pin.encode(), salt=salt.encode(), **_COST)
    return f"{SCHEME}${salt}${base64.b64encode(derived).decode()}"


def pin_is(pin: str, kept: str) -> bool:
    """Say whether a PIN is the one of which this was kept; it takes as long whether it is or not."""
    scheme, _, rest = kept.partition("$")
    salt, _, _ = rest.partition("$")
    return scheme == SCHEME and hmac.compare_digest(pin_hash(pin, salt), kept)

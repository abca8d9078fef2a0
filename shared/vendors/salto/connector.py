"""The contract with Salto's cloud and the connector in the hotel (A §5.2): requests and their answers.

A key on a phone is `new`, which ends the keys of the room's earlier guests, or a `copy` for somebody who
joins. While the connector is down, the cloud itself reaches the doors that have a line (`route`).
"""

import hashlib
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final
from urllib.parse import quote

from shared.domain.kinds import KeyWarning
from shared.domain.secret import Secret
from shared.vendor_kit.asks import Ask, Json, Page, text_in, utc_from_text, utc_to_text
from shared.vendor_kit.carried_keys import Carried, Made, NewCarried
from shared.vendor_kit.http import Call
from shared.vendor_kit.json_protocol import JsonProtocol
from shared.vendor_kit.listing import LockRow, lock_row

KEYS: Final = "/api/keys"
OFFLINE_VALIDITY: Final = "OFFLINE_VALIDITY"
NEW, COPY = "new", "copy"
ROUTE: Final = {"route": "cloud"}
ENCODE_SECONDS: Final = 12.0


@dataclass(frozen=True, slots=True)
class Added:
    """A key that was made, now or by an earlier request of this idempotency key; then it may be cancelled."""

    made: Made
    cancelled: bool


class ConnectorProtocol(JsonProtocol):
    """JSON with an API key, and with the contract's own name for an idempotency key."""

    def prepared(self, ask: Ask[Any], access: Secret[str] | None) -> Call:
        """Return a request that proves who asks."""
        call = super().prepared(replace(ask, nonce=None), None)
        proof = {} if access is None else {"x-api-key": access.reveal()}
        nonce = {} if ask.nonce is None else {"x-idempotency-key": ask.nonce}
        return replace(call, headers={**call.headers, **proof, **nonce})


def list_rooms(page: int) -> Ask[Page[LockRow]]:
    """List the installation's doors."""

    def read(answer: Json) -> Page[LockRow]:
        return Page(tuple(map(_ROOM, answer["doors"])), bool(answer["more"]))

    return Ask("GET", "/api/doors", {"page": page}, read)


def list_keys(room: str, page: int) -> Ask[Page[Carried]]:
    """List the keys that may open a room, the oldest first."""

    def read(answer: Json) -> Page[Carried]:
        return Page(tuple(map(_key, answer["keys"])), bool(answer["more"]))

    return Ask("GET", KEYS, {"room": room, "page": page}, read)


def add_key(new: NewCarried, after: Secret[str] | None = None, *, by_cloud: bool = False) -> Ask[Added]:
    """Put a key on a phone, once for its idempotency key; once more `after` one that was cancelled since."""
    params = {
        "name": new.name,
        "kind": "mobile_app",
        "role": NEW if new.overrides else COPY,
        "phone": new.secret.reveal(),
        "rooms": [new.door],
        "validFrom": utc_to_text(new.bounds.start),
        "validUntil": utc_to_text(new.bounds.end),
        **(ROUTE if by_cloud else {}),
    }
    nonce = _nonce(new, after, by_cloud=by_cloud)
    return Ask("POST", KEYS, params, _added, ENCODE_SECONDS, nonce=nonce)


def cancel_key(ref: Secret[str], *, by_cloud: bool = False) -> Ask[bool]:
    """Cancel a key, and hear whether its doors know; those without a line learn it from an updater."""
    params = ROUTE if by_cloud else {}
    return Ask("DELETE", f"{KEYS}/{quote(ref.reveal(), safe='')}", params, _gone, ENCODE_SECONDS)


def _nonce(new: NewCarried, after: Secret[str] | None, *, by_cloud: bool) -> str:
    """Return the idempotency key of this very request: with another body it would be refused."""
    told = f"{new.nonce}|{new.door}|{new.bounds.start_ms}|{new.bounds.end_ms}|{new.overrides}|{by_cloud}"
    follows = "" if after is None else f"|{after.reveal()}"
    return hashlib.sha256(f"{told}{follows}".encode()).hexdigest()


def _added(answer: Json) -> Added:
    until, ref, cancelled = answer.get("offlineUntil"), text_in(answer, "keyId"), answer["cancelled"] is True
    if until is None:
        return Added(Made(ref), cancelled)
    end = utc_from_text(until)
    words = f"doors without a line open until {end:%F %H:%M} UTC, then after a visit to an updater"
    return Added(Made(ref, (KeyWarning(OFFLINE_VALIDITY, words),)), cancelled)


def _gone(answer: Json) -> bool:
    if answer["state"] not in {"gone", "pending_at_lock"}:
        raise ValueError("state")
    return bool(answer["state"] == "gone")


def _key(row: Json) -> Carried:
    return Carried(
        text_in(row, "keyId"), str(row["name"]), text_in(row, "phone"), utc_from_text(row["validUntil"])
    )


_ROOM: Final = partial(lock_row, named="room")

"""Acme's endpoints, each a function from what is wanted to a request and the reader of its answer."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

from shared.domain.kinds import KeyCredentialKind
from shared.domain.secret import Secret
from shared.vendor_kit.asks import Addition, Ask, Json, KindEndpoints, Page, Row
from shared.vendor_kit.grids import Bounds
from shared.vendor_kit.oauth import Proof, TokenReader
from shared.vendor_kit.tokens import VendorToken


@dataclass(frozen=True, slots=True)
class Lock:
    """A lock as the vendor lists it."""

    id: str
    label: str
    online: bool
    battery: int | None
    skew_ms: int | None


def code_of(answer: Mapping[str, Json]) -> str | None:
    """Return the vendor's code in a refusal's body, if it has one."""
    error = answer.get("error")
    return str(error.get("code")) if isinstance(error, dict) else None


def ask_for_token(proof: Proof, read: TokenReader) -> Ask[VendorToken]:
    """Ask for a token."""
    return Ask("POST", "/v1/token", proof, read)


def list_locks(page: int) -> Ask[Page[Lock]]:
    """List the account's locks."""
    return Ask("GET", "/v1/locks", {"page": page}, lambda answer: _page(answer, "locks", _lock))


def list_keys(lock: str, name: str, page: int) -> Ask[Page[Row]]:
    """List the keys of exactly this name at a lock."""
    params = {"name": name, "page": page}
    return Ask("GET", _keys(lock), params, lambda answer: _page(answer, "keys", _row))


def add_key(new: Addition) -> Ask[Secret[str]]:
    """Add a PIN of our choice."""
    params = {"name": new.name, "pin": new.secret.reveal(), **_window(new.bounds)}
    return Ask("POST", _keys(new.lock), params, lambda answer: Secret(str(answer["id"])), nonce=new.nonce)


def change_key(lock: str, ref: Secret[str], bounds: Bounds) -> Ask[None]:
    """Move a key's window."""
    return Ask("PATCH", f"{_keys(lock)}/{quote(ref.reveal())}", _window(bounds), _nothing)


def delete_key(lock: str, ref: Secret[str]) -> Ask[None]:
    """Delete a key."""
    return Ask("DELETE", f"{_keys(lock)}/{quote(ref.reveal())}", {}, _nothing)


def _keys(lock: str) -> str:
    return f"/v1/locks/{quote(lock)}/keys"


def _window(bounds: Bounds) -> dict[str, int]:
    return {"from": bounds.start_ms, "until": bounds.end_ms}


def _page(answer: Json, name: str, read: Any) -> Page[Any]:
    rows = tuple(read(row) for row in answer[name])
    return Page(rows, bool(answer["more"]))


def _lock(row: Json) -> Lock:
    online, battery, skew_ms = bool(row["online"]), int(row["battery"]), int(row["skewMs"])
    return Lock(str(row["id"]), str(row["name"]), online, battery, skew_ms)


def _row(row: Json) -> Row:
    bounds = Bounds.of_ms(int(row["from"]), int(row["until"]))
    return Row(Secret(str(row["id"])), bounds, Secret(str(row["pin"])))


def _nothing(answer: Json) -> None:
    """Read that an order was carried out."""
    if answer["ok"] is not True:
        raise ValueError("ok")


KINDS: Final[Mapping[KeyCredentialKind, KindEndpoints]] = {
    KeyCredentialKind.PIN_CODE: KindEndpoints(list_keys, add_key, change_key, delete_key),
}

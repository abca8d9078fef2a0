"""Vostio's endpoints, by the specification's contract (A §5.3): each a request and the reader of its answer.

One access grant lets one phone or card through some doors. An idempotency key is answered with what was said
first, even of a grant that was deleted since: the key's body is part of ours, and what a repeated key answers
is looked up before it is believed (`grants.GrantSync`).
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final
from urllib.parse import quote

from shared.domain.kinds import KeyCredentialKind
from shared.domain.secret import Secret
from shared.vendor_kit.api_client import json_object
from shared.vendor_kit.asks import (
    Addition,
    Ask,
    Json,
    KindEndpoints,
    NamedRow,
    Page,
    Row,
    text_in,
    utc_from_text,
    utc_to_text,
)
from shared.vendor_kit.grids import Bounds
from shared.vendor_kit.http import Answer
from shared.vendor_kit.json_protocol import JsonProtocol, code_in_error
from shared.vendor_kit.listing import LockRow, lock_row
from shared.vendor_kit.oauth import Proof, TokenReader
from shared.vendor_kit.tokens import VendorToken
from shared.vendors.assa_abloy.errors import IN_MAINTENANCE

GRANTS: Final = "/v1/access-grants"
SUSPENDED: Final = "suspended"
CREDENTIAL: Final[Mapping[KeyCredentialKind, str]] = {
    KeyCredentialKind.MOBILE_APP: "endpoint",
    KeyCredentialKind.RFID_CARD: "cardNumber",
    KeyCredentialKind.NFC_TAG: "cardNumber",
}
"""What a grant of each kind is given to, by the field that names it."""


class VostioProtocol(JsonProtocol):
    """JSON, but for a status of a broken server that only says that nobody is at work."""

    def content(self, answer: Answer) -> Mapping[str, Json]:
        """Return the object that an answer is; maintenance is a refusal, and no breakdown."""
        told = json_object(answer.body) if answer.status == 503 else None
        if told is not None and code_in_error(told) == IN_MAINTENANCE:
            return told
        return super().content(answer)


def ask_for_token(proof: Proof, read: TokenReader) -> Ask[VendorToken]:
    """Ask for a token."""
    return Ask("POST", "/oauth2/token", proof, read)


def list_maintenance() -> Ask[Sequence[Bounds]]:
    """Ask when the environment will be down, as the vendor publishes it."""

    def read(answer: Json) -> Sequence[Bounds]:
        return tuple(
            Bounds(utc_from_text(each["from"]), utc_from_text(each["until"])) for each in answer["windows"]
        )

    return Ask("GET", "/v1/maintenance-windows", {}, read)


def list_locks(page: int) -> Ask[Page[LockRow]]:
    """List the environment's doors."""

    def read(answer: Json) -> Page[LockRow]:
        return Page(tuple(map(_LOCK, answer["doors"])), bool(answer["more"]), answer.get("total"))

    return Ask("GET", "/v1/doors", {"page": page}, read)


def show_lock(lock: str) -> Ask[LockRow]:
    """Ask the cloud how one door is."""
    return Ask("GET", f"/v1/doors/{quote(lock, safe='')}", {}, _LOCK)


def list_grants(lock: str, name: str, page: int) -> Ask[Page[Row]]:
    """List the grants of exactly this name at a door: the vendor's own search is by how names begin."""

    def read(answer: Json) -> Page[Row]:
        named = (row for row in answer["grants"] if row["name"] == name)
        return Page(tuple(map(_row, named)), bool(answer["more"]), answer.get("total"))

    return Ask("GET", GRANTS, {"door": lock, "name": name, "page": page}, read)


def list_every_grant(kind: KeyCredentialKind) -> Callable[[str, int], Ask[Page[NamedRow]]]:
    """List the grants of a kind at a door, whoever made them."""

    def read(answer: Json) -> Page[NamedRow]:
        ours = (row for row in answer["grants"] if row["type"] == kind)
        named = tuple(NamedRow(str(row["name"]), _row(row)) for row in ours)
        return Page(named, bool(answer["more"]), answer.get("total"))

    return lambda lock, page: Ask("GET", GRANTS, {"door": lock, "page": page}, read)


def delete_grant(_: str, ref: Secret[str]) -> Ask[None]:
    """Delete a grant."""
    return Ask("DELETE", _path(ref), {}, _state("deleted"))


def change_grant(_: str, ref: Secret[str], bounds: Bounds) -> Ask[None]:
    """Move a grant's window."""
    return Ask("PATCH", _path(ref), _window(bounds), _state("active", SUSPENDED))


def suspend_grant(ref: Secret[str]) -> Ask[None]:
    """Let a grant rest."""
    return Ask("POST", f"{_path(ref)}/suspend", {}, _state(SUSPENDED))


def resume_grant(ref: Secret[str]) -> Ask[None]:
    """Let a resting grant open again."""
    return Ask("POST", f"{_path(ref)}/resume", {}, _state("active"))


def _endpoints(kind: KeyCredentialKind) -> KindEndpoints:
    def add(new: Addition) -> Ask[Secret[str]]:
        given = {"type": str(kind), CREDENTIAL[kind]: new.secret.reveal()}
        params = {"name": new.name, **given, "doors": [new.lock], **_window(new.bounds)}
        return Ask("POST", GRANTS, params, lambda answer: text_in(answer, "grantId"), nonce=_nonce(new))

    return KindEndpoints(
        list_grants,
        add,
        change_grant,
        delete_grant,
        resting=suspend_grant,
        waking=resume_grant,
        all_keys=list_every_grant(kind),
    )


def _nonce(new: Addition) -> str | None:
    """Return the idempotency key of a grant with this window: with another, the vendor would refuse it."""
    told = f"{new.nonce}|{new.lock}|{new.bounds.start_ms}|{new.bounds.end_ms}"
    return None if new.nonce is None else hashlib.sha256(told.encode()).hexdigest()


def _path(ref: Secret[str]) -> str:
    return f"{GRANTS}/{quote(ref.reveal(), safe='')}"


def _window(bounds: Bounds) -> dict[str, str]:
    return {"validFrom": utc_to_text(bounds.start), "validUntil": utc_to_text(bounds.end)}


def _state(*wanted: str) -> Callable[[Json], None]:
    """Read that an order was carried out: the grant is as it was to be."""

    def read(answer: Json) -> None:
        if answer["state"] not in wanted:
            raise ValueError("state")

    return read


def _row(row: Json) -> Row:
    bounds = Bounds(utc_from_text(row["validFrom"]), utc_from_text(row["validUntil"]))
    credential = text_in(row, CREDENTIAL[KeyCredentialKind(row["type"])])
    return Row(text_in(row, "grantId"), bounds, credential, frozen=row["state"] == SUSPENDED)


_LOCK: Final = partial(lock_row, named="doorId")
KINDS: Final[Mapping[KeyCredentialKind, KindEndpoints]] = {kind: _endpoints(kind) for kind in CREDENTIAL}

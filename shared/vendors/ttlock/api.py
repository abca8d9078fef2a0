"""The endpoints we use, each a function from what is wanted to a request and the reader of its answer.

Nothing is sent here. `clientId`, `accessToken` and `date` are added on the way out. Commands say type 2,
through the gateway: the vendor's default, 1, puts the key into the cloud and never on the lock.
"""

import re
from collections.abc import Callable, Mapping
from typing import Final, TypeVar

from shared.domain.secret import Secret
from shared.vendor_kit.asks import Addition, Ask, Json, NamedRow, Page, Row
from shared.vendor_kit.grids import Bounds

T = TypeVar("T")
Params = dict[str, str | int]
GATEWAY, PHONE = 2, 1
PERIOD: Final = 3
NOT_REMOTE: Final = 2
FROZEN: Final = "110405"
NUMBER: Final = re.compile(r"[0-9]+")
PAGE: Final = 200
"""As many as the vendor gives."""
NEWEST_FIRST: Final = 1
GATEWAY_SECONDS: Final = 12.0


def list_passcodes(lock: str, name: str, page: int) -> Ask[Page[Row]]:
    """List the passcodes of this name at a lock."""
    row = _named("keyboardPwdName", name, _passcode)
    return listing("/v3/lock/listKeyboardPwd", page, row, lockId=lock, searchStr=name)


def add_passcode(new: Addition, way: int = GATEWAY) -> Ask[Secret[str]]:
    """Add a passcode of our choice."""
    own: Params = {"keyboardPwd": new.secret.reveal(), "keyboardPwdName": new.name, "keyboardPwdType": PERIOD}
    return _add("/v3/keyboardPwd/add", new, "keyboardPwdId", {**own, "addType": way})


def change_passcode(lock: str, ref: Secret[str], bounds: Bounds) -> Ask[None]:
    """Move a passcode's window; without a start the vendor would say yes and do nothing."""
    own = {"keyboardPwdId": ref.reveal(), "changeType": GATEWAY, **_dates(bounds)}
    return _order("/v3/keyboardPwd/change", lock, own)


def delete_passcode(lock: str, ref: Secret[str], way: int = GATEWAY) -> Ask[None]:
    """Delete a passcode."""
    return _order("/v3/keyboardPwd/delete", lock, {"keyboardPwdId": ref.reveal(), "deleteType": way})


def compute_passcode(lock: str, name: str, bounds: Bounds) -> Ask[Row]:
    """Have a passcode computed that the lock will know without being told; whole hours only."""

    def read(answer: Json) -> Row:
        ref, code = (_secret_at(field)(answer) for field in ("keyboardPwdId", "keyboardPwd"))
        return Row(ref, bounds, code, computed=True)

    own: Params = {"lockId": lock, "keyboardPwdName": name, "keyboardPwdType": PERIOD}
    return Ask("POST", "/v3/keyboardPwd/get", {**own, **_dates(bounds)}, read)


def list_cards(lock: str, name: str, page: int) -> Ask[Page[Row]]:
    """List the cards of this name at a lock."""
    row = _named("cardName", name, _card)
    return listing("/v3/identityCard/list", page, row, lockId=lock, searchStr=name)


def add_card(new: Addition) -> Ask[Secret[str]]:
    """Let a card open, given its number as the lock reads it."""
    own: Params = {"cardNumber": new.secret.reveal(), "cardName": new.name, "addType": GATEWAY}
    return _add("/v3/identityCard/add", new, "cardId", own)


def change_card(lock: str, ref: Secret[str], bounds: Bounds) -> Ask[None]:
    """Move a card's window."""
    own = {"cardId": ref.reveal(), "changeType": GATEWAY, **_dates(bounds)}
    return _order("/v3/identityCard/changePeriod", lock, own)


def delete_card(lock: str, ref: Secret[str]) -> Ask[None]:
    """Let a card open no more."""
    return _order("/v3/identityCard/delete", lock, {"cardId": ref.reveal(), "deleteType": GATEWAY})


def list_names_of_card(lock: str, number: Secret[str], page: int) -> Ask[Page[str]]:
    """List the names that a card goes by at a lock; the vendor finds none by their numbers."""
    return listing("/v3/identityCard/list", page, _bearing("cardNumber", number, "cardName"), lockId=lock)


def list_ekeys(lock: str, name: str, page: int) -> Ask[Page[Row]]:
    """List the eKeys of this name at a lock."""
    return listing("/v3/lock/listKey", page, _named("keyName", name, _ekey), lockId=lock, searchStr=name)


def list_names_of_receiver(lock: str, account: Secret[str], page: int) -> Ask[Page[str]]:
    """List the names of the eKeys that an account holds for a lock."""
    return listing("/v3/lock/listKey", page, _bearing("username", account, "keyName"), lockId=lock)


def send_ekey(new: Addition) -> Ask[Secret[str]]:
    """Send an eKey to an account; sent again, it would replace the one the guest holds."""
    own: Params = {"receiverUsername": new.secret.reveal(), "keyName": new.name, "remoteEnable": NOT_REMOTE}
    params = {"lockId": new.lock, **own, **_dates(new.bounds)}
    return Ask("POST", "/v3/key/send", params, _secret_at("keyId"), nonce=new.nonce)


def change_ekey(_: str, ref: Secret[str], bounds: Bounds) -> Ask[None]:
    """Move an eKey's window."""
    return _of_ekey("changePeriod", ref, _dates(bounds))


def delete_ekey(_: str, ref: Secret[str]) -> Ask[None]:
    """Delete an eKey."""
    return _of_ekey("delete", ref)


def freeze_ekey(ref: Secret[str]) -> Ask[None]:
    """Let one eKey rest; this is not `lock/freeze`, which would shut everybody out."""
    return _of_ekey("freeze", ref)


def unfreeze_ekey(ref: Secret[str]) -> Ask[None]:
    """Let a resting eKey open again."""
    return _of_ekey("unfreeze", ref)


def listing(path: str, page: int, row: Callable[[Json], T | None], **filters: str) -> Ask[Page[T]]:
    """Ask for a page of a list, of which the rows are wanted that are read as something."""

    def read(answer: Json) -> Page[T]:
        listed = answer["list"]
        if not isinstance(listed, list):
            raise TypeError("list")
        rows = tuple(wanted for each in listed if (wanted := row(each)) is not None)
        more = page < int(answer["pages"]) if "pages" in answer else len(listed) >= PAGE
        return Page(rows, bool(listed) and more, answer.get("total"))

    return Ask("GET", path, {**filters, "pageNo": page, "pageSize": PAGE, "orderBy": NEWEST_FIRST}, read)


def _add(path: str, new: Addition, ref: str, own: Mapping[str, str | int]) -> Ask[Secret[str]]:
    params = {"lockId": new.lock, **own, **_dates(new.bounds)}
    return Ask("POST", path, params, _secret_at(ref), GATEWAY_SECONDS, new.nonce)


def _order(path: str, lock: str, own: Mapping[str, str | int]) -> Ask[None]:
    return Ask("POST", path, {"lockId": lock, **own}, _done, GATEWAY_SECONDS)


def _of_ekey(verb: str, ref: Secret[str], own: Mapping[str, str | int] | None = None) -> Ask[None]:
    return Ask("POST", f"/v3/key/{verb}", {"keyId": ref.reveal(), **(own or {})}, _done)


def _dates(bounds: Bounds) -> Params:
    return {"startDate": bounds.start_ms, "endDate": bounds.end_ms}


def _secret_at(name: str) -> Callable[[Json], Secret[str]]:
    return lambda answer: _digits(answer, name)


def _done(answer: Json) -> None:
    """Read that an order was carried out: only a plain 0 says so."""
    if str(answer["errcode"]) != "0":
        raise ValueError("errcode")


def _named(field: str, name: str, read: Callable[[Json], Row]) -> Callable[[Json], Row | None]:
    """Read the rows of exactly this name: the vendor's search is fuzzy, and others' rows may be anything."""
    return lambda row: read(row) if row.get(field) == name else None


def _bearing(field: str, secret: Secret[str], name: str) -> Callable[[Json], str | None]:
    """Read the names of the rows with this secret."""
    wanted = secret.reveal().casefold()
    return lambda row: str(row.get(name) or "") if str(row.get(field)).casefold() == wanted else None


def _passcode(row: Json) -> Row:
    code, computed = _digits(row, "keyboardPwd"), str(row.get("isCustom")) == "0"
    return Row(_digits(row, "keyboardPwdId"), _bounds(row), code, computed=computed)


def _card(row: Json) -> Row:
    return Row(_digits(row, "cardId"), _bounds(row), Secret(str(row.get("cardNumber", ""))))


def _ekey(row: Json) -> Row:
    return Row(_digits(row, "keyId"), _bounds(row), frozen=str(row.get("keyStatus")) == FROZEN)


def _digits(row: Json, name: str) -> Secret[str]:
    if not NUMBER.fullmatch(str(row[name])):
        raise ValueError(name)
    return Secret(str(row[name]))


def _bounds(row: Json) -> Bounds:
    return Bounds.of_ms(int(row.get("startDate") or 0), int(row.get("endDate") or 0))


def _every(path: str, name: str, read: Callable[[Json], Row]) -> Callable[[str, int], Ask[Page[NamedRow]]]:
    """List a lock's keys, whoever made them: one row that cannot be read makes the list no list."""
    return lambda lock, page: listing(
        path, page, lambda row: NamedRow(str(row.get(name) or ""), read(row)), lockId=lock
    )


EVERY_PASSCODE: Final = _every("/v3/lock/listKeyboardPwd", "keyboardPwdName", _passcode)
EVERY_CARD: Final = _every("/v3/identityCard/list", "cardName", _card)
EVERY_EKEY: Final = _every("/v3/lock/listKey", "keyName", _ekey)

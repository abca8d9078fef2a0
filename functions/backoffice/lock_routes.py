"""Orders to locks, passed on to the staff's API as the operator who gives them, and each is told (C §14).

| C's word | asked of /lock/v1                              | the vendor that is told of |
|----------|------------------------------------------------|----------------------------|
| issue    | the stay is booked, or said as it is now: POST | of the keys that it gets   |
|          | /stays                                         |                            |
| revoke   | POST /credentials/{id}/revoke                  | of that key                |
| rebind   | other rooms: PATCH /stays/{id}                 | of the stay's keys         |
| extend   | another end: PATCH /stays/{id}                 | of the stay's keys         |

The operator's own token goes along, and nothing of ours: what they may not do there, they may not do here.
A second factor counts where the token's issuer attests it, of the last five minutes. Decision 0112.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final, Literal

import orjson

from functions.backoffice.desk import Desk, UseCase, at_desk
from functions.backoffice.session_routes import ROOT, P
from shared.domain.ids import PropertyId
from shared.domain.kinds import VendorCode
from shared.domain.permissions import FRESH_FOR
from shared.events.backoffice.boundary import their_property, their_vendor
from shared.events.wire import Flag, Instant, Maybe, Published, Rooms
from shared.queries.keys import key_of, keys_of_stay, shown_key
from shared.runtime.asked import Answered
from shared.runtime.platform import this_function
from shared.runtime.problems import NotThere, SignInAgain
from shared.runtime.responses import TryLater
from shared.runtime.routes import Route
from shared.vendor_kit.http import Answer, Call, CallFault

PATIENCE_SECONDS: Final = 20.0
ERRORS: Final = "MELMASTOON.LOCK."
UNREACHED: Final = "UNREACHED"
NO_VENDOR: Final = "none"
"""Told where no key was made, so that no vendor was asked."""


class Order(Published):
    """What every order may say."""

    attest: Flag = False
    """Whether the operator's second factor is to count."""


class Issuing(Order):
    """The keys of a stay are to be made."""

    rooms: Rooms
    valid_from: Instant
    valid_until: Instant


class Revoking(Order):
    """A key is to open nothing any more."""

    reason: Literal["lost", "security"] = "lost"


class Rebinding(Order):
    """A stay's keys are to open other rooms."""

    rooms: Rooms


class Extending(Order):
    """A stay's keys are to open until another time."""

    valid_until: Instant


class Proxied(Published):
    """What the staff's API answered."""

    status: int
    answer: Maybe[dict[str, Any]] = None


@dataclass(frozen=True, slots=True)
class _Passed:
    """An order as it is passed on: to which address, with what, about whose stay."""

    method: str
    path: str
    body: Mapping[str, Any]
    reservation: str


Passes = Callable[[Desk], Awaitable[_Passed]]


async def _issue(desk: Desk) -> _Passed:
    said: Issuing = desk.asked.body
    name, house = desk.asked.ids["reservationId"], desk.asked.ids["propertyId"]
    desk.at(PropertyId(house))
    wish = said.model_dump(mode="json", by_alias=True, exclude={"attest"})
    return _Passed("POST", "stays", {**wish, "reservation": name, "property": house}, name)


async def _revoke(desk: Desk) -> _Passed:
    said: Revoking = desk.asked.body
    key = desk.asked.ids["keyCredentialId"]
    record = await key_of(desk.store, key)
    if record is None:
        raise NotThere("no such key")
    desk.at(record.credential.core.property_id)
    stay = (await shown_key(desk.store, record))["reservation"]
    if stay is None:
        raise NotThere("no guest's key")
    return _Passed("POST", f"credentials/{key}/revoke", {"reason": said.reason}, stay)


async def _change(desk: Desk) -> _Passed:
    name = desk.asked.ids["reservationId"]
    keys = await keys_of_stay(desk.store, name)
    if not keys:
        raise NotThere("no keys of such a stay")
    desk.at(keys[-1].credential.core.property_id)
    wish = desk.asked.body.model_dump(mode="json", by_alias=True, exclude={"attest"})
    return _Passed("PATCH", f"stays/{name}", wish, name)


def _proxied(action: str, passes: Passes) -> UseCase:
    @at_desk("lock_action", f"lock.{action}", lock=True, mutation=True)
    async def order(desk: Desk) -> Answered:
        passed = await passes(desk)
        attested = _attested(desk)
        desk.about = ("reservation", passed.reservation)
        began = desk.on.clock.now()
        answer = await _sent(desk, passed)
        took = max(desk.on.clock.now() - began, timedelta(0)) // timedelta(milliseconds=1)
        await _tell(desk, action, passed, answer, attested=attested, took=took)
        if answer is None:
            raise TryLater("the staff's API did not answer")
        return Answered(Proxied(status=answer.status, answer=_read(answer)), status=answer.status)

    return order


def _attested(desk: Desk) -> bool:
    """Return whether a second factor counts, or ask for one where the operator says that it is to."""
    if not desk.asked.body.attest:
        return False
    who = desk.asked.principal
    signed_in = who.signed_in_at
    if not who.second_factor or signed_in is None or desk.asked.now >= signed_in + FRESH_FOR:
        raise SignInAgain("no second factor of the last five minutes")
    return True


async def _sent(desk: Desk, passed: _Passed) -> Answer | None:
    """Pass an order on, once by its key, however often the desktop repeats it; None if nobody answered."""
    base = this_function().audience.rpartition("/")[0]
    headers = {
        "authorization": desk.asked.headers.get("authorization", ""),
        "content-type": "application/json",
        "idempotency-key": desk.asked.headers.get("idempotency-key") or desk.asked.request_id,
    }
    if desk.asked.trace:
        headers["traceparent"] = desk.asked.trace
    url = f"{base}/lock-api/lock/v1/{passed.path}"
    call = Call(passed.method, url, headers, orjson.dumps(passed.body), timeout=PATIENCE_SECONDS)
    try:
        return await desk.on.http.send(call)
    except CallFault as fault:
        desk.on.log.failure("an order to locks got no answer", fault)
        return None


def _read(answer: Answer) -> dict[str, Any]:
    try:
        said = orjson.loads(answer.body or b"{}")
    except orjson.JSONDecodeError:
        return {}
    return said if isinstance(said, dict) else {}


async def _tell(
    desk: Desk, action: str, passed: _Passed, answer: Answer | None, *, attested: bool, took: int
) -> None:
    done = answer is not None and answer.status < 300
    house = desk.property_id or desk.session.primary
    doing = desk.doing(house)
    drawn = await desk.teller.drawn(
        "lock.action_proxied",
        doing,
        tenant_id=desk.store.tenant,
        property_id=their_property(house),
        operator_id=doing.operator_id,
        device_id=desk.session.device,
        reservation_id=passed.reservation,
        vendor=their_vendor(VendorCode(await _vendor(desk, passed))),
        action=action,
        outcome="success" if done else "failure",
        error_code=None if done else _error(answer),
        mfa_attestation_used=attested,
        occurred_at=doing.occurred_at,
        upstream_latency_ms=took,
    )
    # It tells of what another function has kept already: kept here as well, it is told whatever happens.
    await desk.store.commit([each.write() for each in drawn])
    await desk.teller.tell(drawn)


def _error(answer: Answer | None) -> str:
    code = UNREACHED if answer is None else str(_read(answer).get("code") or answer.status)
    return ERRORS + ("E" * code[:1].isdecimal() + code).upper().replace("-", "_")


async def _vendor(desk: Desk, passed: _Passed) -> str:
    keys = await keys_of_stay(desk.store, passed.reservation)
    if not keys:
        return NO_VENDOR
    return str((await shown_key(desk.store, keys[-1]))["vendor"])


_STAY: Final = f"{ROOT}/reservations/{{reservationId}}"
_ORDERS: Final = (
    (f"{ROOT}/properties/{{propertyId}}/reservations/{{reservationId}}/issue", "issue", Issuing, _issue),
    (f"{ROOT}/keys/{{keyCredentialId}}/revoke", "revoke", Revoking, _revoke),
    (f"{_STAY}/rebind", "rebind", Rebinding, _change),
    (f"{_STAY}/extend", "extend", Extending, _change),
)
ROUTES: Final = tuple(
    Route(
        method="POST",
        path=path,
        summary=f"Order locks: {action}",
        use_case=_proxied(action, passes),
        request=asks,
        answer=Proxied,
        permission=P,
        remembered=False,
    )
    for path, action, asks, passes in _ORDERS
)

"""The mapping is proven at the door: a code of ten minutes is put on one lock, and typed where it hangs.

1. A person asks; the code is drawn, sealed for the vendor's adapter, and told to that person once.
2. An execution begins, in which the adapter places it under a name of ours, and takes it away in time.
3. Whoever stands at the door types it. The attempt is heard like any other, and known by its blind index:
   at the lock that was challenged, the mapping is proven; at another, both are quarantined, whatever it said.

Who dies between 1 and 2 is followed by nobody: the person asks again, and the code of before counts nowhere.
While a lock has a code, nobody is told another: the first would stay there.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final, Self

from shared.domain.errors import InvalidInput
from shared.domain.ids import LockDeviceId, PropertyId, TenantId, UserId
from shared.domain.instants import instant_to_text
from shared.domain.kinds import KeyCredentialKind
from shared.domain.lock_errors import LockError
from shared.domain.secret import Secret
from shared.keywork.services import Services
from shared.keywork.vendor_session import VendorSessions
from shared.keywork.verdicts import adapter_of
from shared.ledger.challenge import LASTS, Challenge, ChallengeCodes, challenge_of
from shared.ledger.grant_record import pin_key
from shared.ports.documents import DocumentStore, StaleVersion
from shared.ports.lock import LockKey
from shared.ports.vault import Cipher
from shared.usecases.attempts.begin_hearing import WORKFLOW
from shared.vendor_kit.pins import LONGEST, draw_pin

CHALLENGE: Final = "challenge"
AGAIN: Final = timedelta(seconds=15)
LONGEST_REST: Final = timedelta(seconds=55)
TAKEN_AWAY_WITHIN: Final = timedelta(hours=1)
OVER: Final = {"outcome": "done", "after_seconds": 0}


@dataclass(frozen=True, slots=True)
class ChallengeDoor:
    """Which lock, and who will type the code."""

    tenant: TenantId
    property_id: PropertyId
    device: LockDeviceId
    by: UserId

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Self:
        """Read the command."""
        return cls(
            TenantId.parse(body.get("tenant"), "tenant"),
            PropertyId.parse(body.get("property"), "property"),
            LockDeviceId.parse(body.get("device"), "device"),
            UserId.parse(body.get("by"), "by"),
        )


def codes_of(command: ChallengeDoor, sealed: DocumentStore, cipher: Cipher) -> ChallengeCodes:
    """Return where the codes of a lock's tenant are kept."""
    return ChallengeCodes(sealed.tenant(command.tenant), cipher)


async def challenge_door(command: ChallengeDoor, codes: ChallengeCodes, services: Services) -> dict[str, Any]:
    """Draw a code for a lock, have it placed, and return it, once."""
    setup = await services.hotels.premises(command.tenant, command.property_id)
    device = next((each for each in setup.devices if each.id == command.device), None)
    if device is None or not device.capabilities.pin:
        raise InvalidInput("device", "no lock with a keypad at this property", "Name one of keyfleet devices")
    store, now = services.hotels.admitted(command.tenant), services.now
    last = await challenge_of(device.id, store)
    _check_gone(last, now)
    challenge = Challenge(
        device_id=device.id,
        property_id=device.property_id,
        vendor=device.vendor,
        turn=services.ids.ulid(),
        by=command.by,
        asked_at=now,
        until=now + LASTS,
        version=None if last is None else last.version,
    )
    code = draw_pin(services.entropy, LONGEST)
    await codes.keep(challenge, code)
    await challenge.saved(store)
    argument = {
        "tenant": str(command.tenant),
        "property": str(command.property_id),
        "adapter": adapter_of(device.vendor),
        "work": CHALLENGE,
        "device": str(device.id),
        "by": str(command.by),
    }
    await services.sagas.start(WORKFLOW, argument)
    until = instant_to_text(challenge.until)
    return {"device": str(device.id), "label": device.label, "code": code.reveal(), "until": until}


def _check_gone(last: Challenge | None, now: datetime) -> None:
    """Refuse a code while the last one is at the lock: what the ledger forgets, nobody takes away there."""
    if last is not None and last.placed and not last.over and now < last.until + TAKEN_AWAY_WITHIN:
        remedy = "Type the code that it has, or wait until that is taken away, soon after its ten minutes"
        raise InvalidInput("device", "challenged already", remedy)


async def work_on_challenge(
    command: ChallengeDoor, services: Services, desks: VendorSessions, codes: ChallengeCodes
) -> dict[str, Any]:
    """Put the code on its lock, or take it away once its time is over; say when to come again."""
    store = (await services.ledger(command.tenant)).documents
    challenge = await challenge_of(command.device, store)
    if challenge is None or challenge.over:
        return dict(OVER)
    code = await codes.find(challenge)
    if code is None:
        return dict(OVER)
    try:
        desk = await desks.at(command.tenant, command.property_id)
        if services.now >= challenge.until:
            await desk.port.remove(_key(challenge, code))
            await challenge_over(challenge, codes, services)
            return dict(OVER)
        if not challenge.placed:
            await desk.port.place(_key(challenge, code))
            index = (await desk.secrets.pin_indexes(challenge.property_id, code))[0]
            challenge = await replace(challenge, placed=True, pin=pin_key(index), cause=None).saved(store)
    except LockError as error:
        return await _refused(challenge, error, services)
    except StaleVersion:
        return _again(AGAIN)  # somebody asked anew
    return _again(min(max(challenge.until - services.now, timedelta(seconds=1)), LONGEST_REST))


async def challenge_over(challenge: Challenge, codes: ChallengeCodes, services: Services) -> None:
    """Forget a challenge's code, and note that its lock has it no more."""
    store = services.hotels.admitted(codes.sealed.tenant)
    await replace(challenge, over=True).saved(store)
    await codes.forget(challenge)


def _key(challenge: Challenge, code: Secret[str]) -> LockKey:
    return LockKey(
        device_id=challenge.device_id,
        kind=KeyCredentialKind.PIN_CODE,
        name=challenge.name,
        valid_from=challenge.asked_at,
        valid_until=challenge.until,
        idempotency_key=f"challenge|{challenge.device_id}|{challenge.turn}",
        secret=code,
    )


async def _refused(challenge: Challenge, error: LockError, services: Services) -> dict[str, Any]:
    """Ask again for a while; a code that will not go opens nothing by then, and a comparison finds it."""
    services.log.warning(
        "a challenge could not be worked on", deviceId=challenge.device_id, cause=error.cause.kind
    )
    late = services.now >= challenge.until + TAKEN_AWAY_WITHIN
    return dict(OVER) if late or error.permanent else _again(AGAIN)


def _again(after: timedelta) -> dict[str, Any]:
    return {"outcome": "retry", "after_seconds": round(after.total_seconds(), 3)}

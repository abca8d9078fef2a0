"""The mapping is proven at the door: a code of ten minutes is put on one lock, and typed where it hangs.

1. A person asks; the code is drawn, sealed for the vendor's adapter, and told to that person once.
2. An execution begins, in which the adapter places it under a name of ours, and takes it away in time.
3. Whoever stands at the door types it. The attempt is heard like any other, and known by its blind index:
   at the lock that was challenged, the mapping is proven; at another, both are quarantined, whatever it said.
4. It is over once the lock has the code no more, or refused it for good; or an hour after its end, and then
   somebody is told: the lock's own clock ends the code, and a comparison finds it by its name.

Who dies between 1 and 2, or hears no answer, asks again: the new code takes the place of the old one, whose
name is taken away before the new one goes to the lock, and once more at the end. Of two who ask at once, one
is refused, and what was drawn for it is forgotten. While a lock has a code, nobody is told another.
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
from shared.keywork.vendor_session import VendorSession, VendorSessions
from shared.keywork.verdicts import adapter_of
from shared.ledger.challenge import LASTS, Challenge, ChallengeCodes, challenge_of
from shared.ledger.grant_record import pin_key
from shared.ports.documents import AlreadyExists, DocumentStore, StaleVersion, TenantDocuments
from shared.ports.lock import LockKey
from shared.ports.vault import Cipher
from shared.usecases.attempts.begin_hearing import WORKFLOW
from shared.vendor_kit.pins import LONGEST, draw_pin

CHALLENGE: Final = "challenge"
AGAIN: Final = timedelta(seconds=15)
LONGEST_REST: Final = timedelta(seconds=55)
TAKEN_AWAY_WITHIN: Final = timedelta(hours=1)
AFTER_ITS_END: Final = timedelta(minutes=5)
"""By the lock's own clock it opens no more: there is no hurry to take it away."""
MOST_FORMER: Final = 5
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
        former=_former(last),
        version=None if last is None else last.version,
    )
    code = await _told(challenge, store, codes, services)
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


async def _told(
    challenge: Challenge, store: TenantDocuments, codes: ChallengeCodes, services: Services
) -> Secret[str]:
    """Return a code that is sealed, and then asked for; of two who ask at once, one is refused."""
    code = draw_pin(services.entropy, LONGEST)
    await codes.keep(challenge, code)
    try:
        await challenge.saved(store)
    except (AlreadyExists, StaleVersion):
        await codes.forget(challenge)
        remedy = "Type the code that somebody else was told just now"
        raise InvalidInput("device", "challenged already", remedy) from None
    return code


def _former(last: Challenge | None) -> tuple[str, ...]:
    """Return the turns whose codes may be at the lock, or come there yet; of many, the last."""
    if last is None or last.over:
        return ()
    return (*last.former, last.turn)[-MOST_FORMER:]


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
    if code is None:  # whoever forgot it noted that it is over, or died before that
        await challenge_over(challenge, codes, services)
        return dict(OVER)
    try:
        desk = await desks.at(command.tenant, command.property_id)
        if services.now >= challenge.until:
            await _taken_away(challenge, code, desk)
            await challenge_over(challenge, codes, services)
            return dict(OVER)
        if not challenge.placed:
            await _former_taken_away(challenge, desk)
            await desk.port.place(_key(challenge, code))
            index = (await desk.secrets.pin_indexes(challenge.property_id, code))[0]
            challenge = await replace(challenge, placed=True, pin=pin_key(index), cause=None).saved(store)
    except LockError as error:
        return await _refused(challenge, error, codes, services)
    except StaleVersion:
        return _again(AGAIN)  # somebody asked anew
    return _again(min(max(challenge.until - services.now, timedelta(seconds=1)), LONGEST_REST))


async def _taken_away(challenge: Challenge, code: Secret[str], desk: VendorSession) -> None:
    await desk.port.remove(_key(challenge, code))
    await _former_taken_away(challenge, desk)


async def _former_taken_away(challenge: Challenge, desk: VendorSession) -> None:
    """Take codes away by their names whose answers were lost: nobody knows whether they came to the lock."""
    for turn in challenge.former:
        await desk.port.remove(replace(_key(challenge, None), name=challenge.name_of(turn)))


async def challenge_over(challenge: Challenge, codes: ChallengeCodes, services: Services) -> None:
    """Forget a challenge's code, and note that it is over."""
    store = services.hotels.admitted(codes.sealed.tenant)
    await replace(challenge, over=True).saved(store)
    await codes.forget(challenge)


def _key(challenge: Challenge, code: Secret[str] | None) -> LockKey:
    return LockKey(
        device_id=challenge.device_id,
        kind=KeyCredentialKind.PIN_CODE,
        name=challenge.name,
        valid_from=challenge.asked_at,
        valid_until=challenge.until,
        idempotency_key=f"challenge|{challenge.device_id}|{challenge.turn}",
        secret=code,
    )


async def _refused(
    challenge: Challenge, error: LockError, codes: ChallengeCodes, services: Services
) -> dict[str, Any]:
    """Ask again for a while; what is refused for good, or has gone on for too long, is over, and said."""
    kind = error.cause.kind
    late = services.now >= challenge.until + TAKEN_AWAY_WITHIN
    if not (late or (error.permanent and not challenge.placed)):
        services.log.warning("a challenge could not be worked on", deviceId=challenge.device_id, cause=kind)
        return _again(AFTER_ITS_END if challenge.placed else AGAIN)
    said = "a challenge's code may be at its lock still" if late else "a lock takes no challenge"
    services.log.warning(said, deviceId=challenge.device_id, cause=kind, name=challenge.name)
    await challenge_over(replace(challenge, cause=kind), codes, services)
    return dict(OVER)


def _again(after: timedelta) -> dict[str, Any]:
    return {"outcome": "retry", "after_seconds": round(after.total_seconds(), 3)}

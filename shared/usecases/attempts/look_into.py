"""What in the attempts at doors somebody should look at: rules over what is kept, each with its facts.

| anomaly | rule |
|---|---|
| a key opened that should not have | the attempt's own judgement |
| used after check-out | a guest's key was tried whose stay had ended by check-out |
| off shift | a staff key was tried outside its time, at rest or ended |
| repeated denials | five at one door within ten minutes; once an hour |
| staff in an occupied room | a staff key opened a room whose guest has used a key that counts |
| two places at once | one key opened doors of different rooms within half a minute |

An anomaly is kept create-if-absent before anybody is told; an attempt is owed until it was looked into.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from shared.domain.core import Guest
from shared.domain.grant_lifecycle import Placed, Placement
from shared.domain.kinds import RevokeReason, SetRole
from shared.domain.premises import LockDevice
from shared.domain.states import Revoked
from shared.keywork.services import Services
from shared.ledger.anomaly import Anomaly, AnomalyKind, anomaly_id
from shared.ledger.attempt import Attempt, attempt_from
from shared.ledger.grant_record import MOST_GRANTS, GrantRecord, grant_from
from shared.ledger.indexes import AT_DEVICE, AT_DOOR, OF_KEY
from shared.ledger.key_record import KeyRecord
from shared.ledger.ledger import Ledger
from shared.ports.documents import AlreadyExists, Index
from shared.usecases.attempts.end_spent import end_spent
from shared.usecases.devices.judge_mapping import judge_mapping

MOST_DENIED: Final = 5
DENIED_WITHIN: Final = timedelta(minutes=10)
ONCE_AN_HOUR: Final = timedelta(hours=1)
AT_ONCE: Final = timedelta(seconds=30)
LOOKED_AT: Final = 40
OFF_SHIFT: Final = frozenset(
    {
        *("opened_before_its_time", "opened_after_its_time", "revoked_key_opened", "resting_key_opened"),
        *("not_yet_valid", "expired", "revoked", "suspended"),
    }
)
ENDED: Final = frozenset({"revoked_key_opened", "revoked"})
SECURITY: Final = frozenset(
    {
        AnomalyKind.UNKNOWN_KEY_OPENED,
        AnomalyKind.REVOKED_KEY_OPENED,
        AnomalyKind.RESTING_KEY_OPENED,
        AnomalyKind.KEY_OPENED_ANOTHER_DOOR,
    }
)
"""A door stood open to somebody whom nobody meant: people are woken for it."""


@dataclass(frozen=True, slots=True)
class Scene:
    """An attempt with what is known around it."""

    attempt: Attempt
    entry: KeyRecord | None
    door: LockDevice | None
    ledger: Ledger
    services: Services

    def anomaly(
        self, kind: AnomalyKind, said: str, *others: Attempt, about: Sequence[object] = ()
    ) -> Anomaly:
        """Return what this attempt shows, together with others."""
        attempt = self.attempt
        return Anomaly(
            id=anomaly_id(kind, *(about or (attempt.id,))),
            kind=kind,
            property_id=attempt.property_id,
            device_id=attempt.device_id,
            at=attempt.at,
            said=said,
            facts=(*(each.id for each in others if each.id != attempt.id), attempt.id),
            credential_id=attempt.credential_id,
        )


async def look_into(attempt: Attempt, ledger: Ledger, services: Services) -> None:
    """Keep what an attempt shows, and tell whoever must know, once."""
    scene = await _scene(attempt, ledger, services)
    await judge_mapping(attempt, scene.door, ledger.documents, services)
    for rule in RULES:
        async for found in rule(scene):
            try:
                await ledger.documents.commit([found.write()])
            except AlreadyExists:
                continue
            _tell(found, services)
    if scene.entry is not None and scene.entry.credential.core.role is SetRole.ONE_SHOT:
        await end_spent(attempt, scene.door, ledger, services)


async def _scene(attempt: Attempt, ledger: Ledger, services: Services) -> Scene:
    key = attempt.credential_id
    entry = None if key is None else await ledger.entry(str(key))
    premises = await services.hotels.premises_of_key(attempt.tenant, attempt.property_id)
    door = next((each for each in premises.devices if each.id == attempt.device_id), None)
    return Scene(attempt, entry, door, ledger, services)


async def _opened_wrongly(scene: Scene) -> AsyncIterator[Anomaly]:
    if scene.attempt.alarm is not None:
        kind = AnomalyKind(scene.attempt.alarm)
        yield scene.anomaly(kind, f"the door opened, and {kind.replace('_', ' ')}")


async def _after_checkout(scene: Scene) -> AsyncIterator[Anomaly]:
    it, entry = scene.attempt, scene.entry
    if (
        entry is None
        or not {it.alarm, it.refused} & ENDED
        or not isinstance(entry.credential.core.holder, Guest)
    ):
        return
    state = entry.credential.state
    if isinstance(state, Revoked) and state.reason is RevokeReason.CHECKOUT:
        said = "the door opened to" if it.opened else "the door was tried by"
        yield scene.anomaly(AnomalyKind.USED_AFTER_CHECKOUT, f"{said} a guest who had checked out")


async def _off_shift(scene: Scene) -> AsyncIterator[Anomaly]:
    if scene.attempt.staff and {scene.attempt.alarm, scene.attempt.refused} & OFF_SHIFT:
        yield scene.anomaly(AnomalyKind.OFF_SHIFT_USE, "a staff key was used outside its shift")


async def _denied(scene: Scene) -> AsyncIterator[Anomaly]:
    it = scene.attempt
    if it.opened:
        return
    near = await _attempts(scene, AT_DOOR, {"device_id": str(it.device_id)})
    denied = [each for each in near if not each.opened and it.at - DENIED_WITHIN <= each.at <= it.at]
    if len(denied) >= MOST_DENIED:
        hour = int(it.at.timestamp() // ONCE_AN_HOUR.total_seconds())
        said = f"{len(denied)} attempts were refused within ten minutes"
        yield scene.anomaly(AnomalyKind.REPEATED_DENIALS, said, *reversed(denied), about=(it.device_id, hour))


async def _occupied(scene: Scene) -> AsyncIterator[Anomaly]:
    it, door = scene.attempt, scene.door
    if not (it.staff and it.opened and door is not None and len(door.rooms) == 1):
        return
    found = await scene.ledger.documents.query(AT_DEVICE, {"device_id": str(it.device_id)}, limit=MOST_GRANTS)
    for kept in map(grant_from, found):
        if _lives_there(kept, it.at):
            entry = await scene.ledger.entry(str(kept.grant.credential_id))
            if entry is not None and isinstance(entry.credential.core.holder, Guest):
                said = "a staff key opened a room whose guest has come"
                yield scene.anomaly(AnomalyKind.STAFF_IN_OCCUPIED_ROOM, f"{said}: {kept.grant.credential_id}")
                return


def _lives_there(kept: GrantRecord, at: datetime) -> bool:
    state = kept.grant.state
    used = isinstance(state, Placed) and state.placement is Placement.USED
    return used and kept.since <= at < kept.until


async def _two_places(scene: Scene) -> AsyncIterator[Anomaly]:
    it = scene.attempt
    if not it.opened or it.credential_id is None or scene.door is None:
        return
    doors = (await scene.services.hotels.premises_of_key(it.tenant, it.property_id)).devices
    rooms = {door.id: frozenset(door.rooms) for door in doors}
    for other in await _attempts(scene, OF_KEY, {"of_key": str(it.credential_id)}):
        there, here = rooms.get(other.device_id, frozenset()), rooms.get(it.device_id, frozenset())
        apart = len(there) == len(here) == 1 and there != here
        if other.opened and apart and abs(it.at - other.at) <= AT_ONCE:
            both = sorted((str(it.id), str(other.id)))
            said = "one key opened doors of two rooms within half a minute"
            yield scene.anomaly(AnomalyKind.TWO_PLACES_AT_ONCE, said, other, about=both)
            return


async def _attempts(scene: Scene, index: Index, equals: dict[str, str]) -> list[Attempt]:
    found = await scene.ledger.documents.query(index, equals, limit=LOOKED_AT)
    return [attempt_from(each) for each in found]


RULES: Final[tuple[Callable[[Scene], AsyncIterator[Anomaly]], ...]] = (
    _opened_wrongly,
    _after_checkout,
    _off_shift,
    _denied,
    _occupied,
    _two_places,
)


def _tell(found: Anomaly, services: Services) -> None:
    """Wake somebody where a door opened to whom nobody meant; say the rest where it is read."""
    told = services.log.alert if found.kind in SECURITY else services.log.warning
    told(
        "a door opened that should not have" if found.kind in SECURITY else "doors were used oddly",
        runbook="lock/doors",
        because=found.kind.value,
        anomaly=found.id,
        deviceId=found.device_id,
        keyCredentialId=found.credential_id,
        property=found.property_id,
        said=found.said,
        attempts=list(found.facts),
    )

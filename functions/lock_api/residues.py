"""What is left at locks and should be gone, and what was found there and is nobody's: listed, closed."""

from typing import Annotated, Final, Literal

from functions.lock_api.places import AtPlace, as_state, cell_of, property_asked, store_of
from functions.lock_api.shown import At, GrantOrFindingId, KeyId, shown
from shared.domain.ids import FindingId, GrantId
from shared.domain.ids import PropertyId as AtProperty
from shared.domain.permissions import Permission
from shared.events.wire import (
    DeviceId,
    Instant,
    Maybe,
    PropertyId,
    Published,
    ReservationId,
    VendorCode,
    text,
)
from shared.queries.attention import residues
from shared.queries.findings import strange_residues
from shared.queries.found import find_finding, find_grant
from shared.runtime.asked import Asked
from shared.runtime.keys import services_of
from shared.runtime.platform import Platform
from shared.runtime.problems import NotThere
from shared.runtime.routes import Route
from shared.usecases.reconcile.begin_comparison import BeginComparison, begin_comparisons
from shared.usecases.reconcile.give_word import LONGEST_REASON, GiveWord, give_word
from shared.usecases.upkeep import close_residue as closing


class Residue(Published):
    """Something that may open a lock and should not."""

    id: GrantOrFindingId
    key: Maybe[KeyId] = None
    property: PropertyId
    reservation: Maybe[ReservationId] = None
    device: DeviceId
    label: Maybe[str] = None
    vendor: VendorCode
    vendor_name: Maybe[str] = None
    """Its name in the vendor's app, where we gave it one."""
    state: str
    since: At
    cause: Maybe[str] = None
    asked_last: Maybe[At] = None
    next_try: Maybe[At] = None
    exposure_until: Maybe[At] = None


class Residues(Published):
    """What is left at a property's locks, the longest first."""

    residues: tuple[Residue, ...]


class Closed(Published):
    """A residue that somebody saw to."""

    grant: GrantOrFindingId
    key: KeyId
    proof: Maybe[str] = None


class WordWanted(Published):
    """What is to become of something found at a lock, and why."""

    word: Literal["adopt", "remove", "place"]
    because: Annotated[Maybe[str], text(LONGEST_REASON)] = None
    until: Maybe[Instant] = None


class WordKept(Published):
    """What was decided, and about which lock."""

    finding: GrantOrFindingId
    word: str
    lock: DeviceId
    over: bool


async def list_residues(asked: Asked, on: Platform) -> Residues:
    """Return what may open a property's locks and should not."""
    where = await property_asked(asked.query.property, asked, on)
    cell, tenant, now = cell_of(on), asked.principal.tenant, on.clock.now()
    found = [*await residues(cell, tenant, now), *await strange_residues(cell, tenant, now)]
    here = [each for each in found if each["property"] == where]
    return Residues(residues=tuple(shown(Residue, {**each, "id": each["grant"]}) for each in here))


async def close_residue(asked: Asked, on: Platform) -> Closed:
    """Note that somebody was at the door, and that what was left there opens it no more."""
    grant = GrantId(asked.ids["grantId"])
    asked.at(_there(await find_grant(store_of(asked, on), grant)))
    command = closing.CloseResidue(asked.principal.tenant, grant, asked.by)
    with as_state():
        told = await closing.close_residue(command, closing.Vault(on.sealed, on.cipher), services_of(on))
    return shown(Closed, {**told, "key": told["keyCredentialId"]})


async def decide_finding(asked: Asked, on: Platform) -> WordKept:
    """Keep what somebody decided about something found at a lock, and begin what follows."""
    finding = FindingId(asked.ids["findingId"])
    asked.at(_there(await find_finding(store_of(asked, on), finding)))
    wanted = asked.body.model_dump(exclude_none=True, mode="json")
    body = {**wanted, "tenant": asked.principal.tenant, "finding": finding, "by": asked.by}
    services = services_of(on)
    with as_state():
        given = await give_word(GiveWord.of(body), services)
    if given["word"] == "remove" and not given["over"]:
        again = BeginComparison.of({**body, **given, "occasion": "asked"})
        await begin_comparisons(again, on.documents, on.cell, services)
    return shown(WordKept, given)


def _there(place: AtProperty | None) -> AtProperty:
    if place is None:
        raise NotThere("no such thing at a lock")
    return place


ROUTES: Final = (
    Route(
        method="GET",
        path="/lock/v1/residues",
        summary="What may open locks and should not",
        use_case=list_residues,
        query=AtPlace,
        answer=Residues,
        permission=Permission.RESIDUE_READ,
    ),
    Route(
        method="POST",
        path="/lock/v1/residues/{grantId}/close",
        summary="Somebody was at the door: it opens no more",
        use_case=close_residue,
        answer=Closed,
        permission=Permission.RESIDUE_CLOSE,
    ),
    Route(
        method="POST",
        path="/lock/v1/findings/{findingId}/decide",
        summary="Decide about something found at a lock",
        use_case=decide_finding,
        request=WordWanted,
        answer=WordKept,
        permission=Permission.RESIDUE_CLOSE,
    ),
)

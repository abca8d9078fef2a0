"""A property's premises in one document: a copy of what its property, its locks and its policies say.

A hundred locks are read in one read. The copy is never behind, because of three rules:

1. Whoever changes one of those documents does it through `change_hotel`, in one commit with the copy.
2. The copy is written under the version at which it was read, or created: of two writers one reads anew.
3. Who finds no copy reads the documents themselves and creates it; a change that came meanwhile has made it.

Settings of a whole tenant are the exception: `refresh_policy` copies them, property by property, after they
are kept. Many locks lie on several pages, which bear one edition. Decision 0032.

Of how locks are, one thing lies here: which are quarantined, for no key goes to those. Decision 0125.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from shared.domain.documents import strays_of
from shared.domain.errors import InvalidInput, UnknownSchemaVersion
from shared.domain.stored import VERSION
from shared.ledger.indexes import DEVICES, DEVICES_AT
from shared.ledger.policies import OF_TENANT, POLICIES, Settings, settings_for
from shared.ledger.reading import reading
from shared.ledger.site import site_of
from shared.ports.documents import (
    AlreadyExists,
    Create,
    Delete,
    Document,
    Index,
    Ref,
    StaleVersion,
    TenantDocuments,
    Update,
    Write,
)

PREMISES: Final = "premises"
SCHEMA: Final = 1
PAGE: Final = 1000
MOST_LOCKS, MOST_CHARACTERS = 400, 600_000
"""On one page: a document may have a megabyte."""
TRIES: Final = 20
Body = Mapping[str, Any]
_OF_FIRST_PAGE: Final = frozenset(
    {VERSION, "edition", "pages", "hotel", "of_tenant", "of_property", "quarantined", "devices"}
)


@dataclass(frozen=True, slots=True)
class Premises:
    """The copy: documents as they are kept; the property's is None before it is set up, and once it is gone.

    `versions` are those of the pages as they were read; `strays` is what a newer release copied beside ours.
    """

    property_id: str
    hotel: Body | None
    devices: Mapping[str, Body]
    settings: tuple[Settings, Settings]
    edition: int = 0
    versions: tuple[str, ...] = ()
    quarantined: frozenset[str] = frozenset()
    strays: Body = field(default_factory=dict)

    def after(self, writes: Sequence[Write]) -> "Premises":
        """Return the premises as these writes leave them."""
        it = self
        for write in writes:
            change = _CHANGES.get(write.ref.collection)
            it = (
                it if change is None else change(it, write, None if isinstance(write, Delete) else write.data)
            )
        return it

    def made_anew(self, of: "Premises") -> "Premises":
        """Return a copy made of the documents themselves, to be written in place of this one."""
        return replace(of, edition=self.edition, versions=self.versions, strays=self.strays)

    def writes(self) -> list[Write]:
        """Return what keeps the premises, on the condition that nobody else has changed them."""
        pages = list(self._pages())
        kept = [
            Update(self._ref(number), page, self.versions[number])
            if number < len(self.versions)
            else Create(self._ref(number), page)
            for number, page in enumerate(pages)
        ]
        unused = range(len(pages), len(self.versions))
        return [*kept, *(Delete(self._ref(number), self.versions[number]) for number in unused)]

    def _pages(self) -> Iterator[dict[str, Any]]:
        pages = list(_paged(self.devices))
        own = {VERSION: SCHEMA, "edition": self.edition + 1}
        of_tenant, of_property = self.settings
        whole: dict[str, Any] = {
            "pages": len(pages),
            "hotel": self.hotel,
            "of_tenant": of_tenant,
            "of_property": of_property,
        }
        whole |= {"quarantined": sorted(self.quarantined)} if self.quarantined else {}
        for number, devices in enumerate(pages):
            yield {**({} if number else {**self.strays, **whole}), **own, "devices": devices}

    def _ref(self, number: int) -> Ref:
        return page_at(self.property_id, number)


def page_at(property_id: str, number: int = 0) -> Ref:
    """Return where a page of a property's premises is kept."""
    return Ref(PREMISES, f"{property_id}.{number}" if number else property_id)


async def premises_of(store: TenantDocuments, property_id: str) -> Premises:
    """Return a property's premises; those that no copy was made of are read one by one, and copied."""
    for _ in range(TRIES):
        kept = await _kept(store, property_id)
        if kept is not None:
            return kept
        made = await _one_by_one(store, property_id)
        if made.hotel is None or await _committed(store, made.writes()) is not None:
            return made
    raise StaleVersion(page_at(property_id))


async def change_hotel(store: TenantDocuments, property_id: str, writes: Sequence[Write]) -> Sequence[str]:
    """Commit changes of a property, its locks or its settings, and its premises; return their versions."""
    for _ in range(TRIES):
        known = await _kept(store, property_id)
        if known is None or known.hotel is None:
            found = await _one_by_one(store, property_id)
            known = found if known is None else known.made_anew(found)
        versions = await _committed(store, [*writes, *known.after(writes).writes()])
        if versions is not None:
            break
    else:
        raise StaleVersion(page_at(property_id))
    if known.hotel is None:
        # Settings of the tenant that were kept meanwhile could not find a property that was not there yet.
        await refresh_policy(store, property_id)
    return versions[: len(writes)]


async def refresh_policy(store: TenantDocuments, property_id: str) -> None:
    """Copy what a tenant's settings have become into the premises of a property."""
    for _ in range(TRIES):
        known = await premises_of(store, property_id)
        settings = await settings_for(store, property_id)
        if known.hotel is None or known.settings == settings:
            return
        if await _committed(store, replace(known, settings=settings).writes()) is not None:
            return
    raise StaleVersion(page_at(property_id))


async def _committed(store: TenantDocuments, writes: Sequence[Write]) -> Sequence[str] | None:
    """Return the versions of what was kept; None if somebody else wrote the premises."""
    try:
        return await store.commit(writes)
    except (AlreadyExists, StaleVersion) as conflict:
        if conflict.ref.collection != PREMISES:
            raise
        return None


async def _kept(store: TenantDocuments, property_id: str) -> Premises | None:
    """Return the copy, or None; pages that changed between two reads are read again."""
    for _ in range(TRIES):
        first = await store.get(page_at(property_id))
        if first is None:
            return None
        with reading(first):
            _check_version(first)
            others = range(1, first.data["pages"])
            pages = [first, *[await store.get(page_at(property_id, number)) for number in others]]
            whole = [page for page in pages if page and page.data["edition"] == first.data["edition"]]
            if len(whole) == len(pages):
                return premises_in(whole)
    raise StaleVersion(page_at(property_id))


def premises_in(pages: Sequence[Document]) -> Premises:
    """Read the copy from all its pages."""
    first = pages[0].data
    return Premises(
        pages[0].ref.id,
        first["hotel"],
        {name: device for page in pages for name, device in page.data["devices"].items()},
        (first["of_tenant"], first["of_property"]),
        first["edition"],
        tuple(page.version for page in pages),
        frozenset(first.get("quarantined", ())),
        strays_of(first, _OF_FIRST_PAGE),
    )


def _check_version(found: Document) -> None:
    if found.data.get(VERSION) != SCHEMA:
        remedy = f"This code reads version {SCHEMA} of premises: deploy newer or older code"
        raise UnknownSchemaVersion(VERSION, "unknown or missing", remedy)


async def _one_by_one(store: TenantDocuments, property_id: str) -> Premises:
    hotel = await store.get(Ref("properties", property_id))
    devices = {
        found.ref.id: found.data for found in await _every(store, DEVICES, {"property_id": property_id})
    }
    settings, shut = await settings_for(store, property_id), await _quarantined(store, property_id, devices)
    return Premises(property_id, None if hotel is None else hotel.data, devices, settings, quarantined=shut)


async def _quarantined(
    store: TenantDocuments, property_id: str, devices: Mapping[str, Body]
) -> frozenset[str]:
    """Return which locks nobody knows to hang where they are mapped."""
    vendors = sorted({str(device["vendor"]) for device in devices.values()})
    sites = [{"site": site_of(property_id, vendor)} for vendor in vendors]
    found = [each for site in sites for each in await _every(store, DEVICES_AT, site)]
    return frozenset(each.ref.id for each in found if each.data.get("swapped_at") is not None)


async def _every(store: TenantDocuments, index: Index, equals: Mapping[str, str]) -> list[Document]:
    """Return all of a property's locks: a door that is left out stays shut, and nobody is told."""
    page = await store.query(index, equals, limit=PAGE)
    found = list(page)
    while len(page) == PAGE:
        page = await store.query(index, equals, after=page[-1], limit=PAGE)
        found += page
    return found


def _paged(devices: Mapping[str, Body]) -> Iterator[dict[str, Body]]:
    """Share locks out over pages, in order; there is one page at least."""
    page: dict[str, Body] = {}
    room = MOST_CHARACTERS
    for name in sorted(devices):
        needs = len(json.dumps(devices[name]))
        if page and (len(page) == MOST_LOCKS or needs > room):
            yield page
            page, room = {}, MOST_CHARACTERS
        page[name], room = devices[name], room - needs
    yield page


def _with_device(it: Premises, write: Write, data: Body | None) -> Premises:
    name = str(write.ref.id)  # a name of its own sort is no key of JSON
    elsewhere = data is not None and data["property_id"] != it.property_id
    if elsewhere or not (isinstance(write, Create) or name in it.devices):
        remedy = "Take the lock out of the property it is in, then add it to the other"
        raise InvalidInput("devices", "a lock of another property", remedy)
    others = {each: device for each, device in it.devices.items() if each != name}
    return replace(it, devices=others if data is None else {**others, name: data})


def _with_hotel(it: Premises, write: Write, data: Body | None) -> Premises:
    return replace(it, hotel=data) if write.ref.id == it.property_id else it


def _with_settings(it: Premises, write: Write, data: Body | None) -> Premises:
    of_tenant, of_property = it.settings
    settings = {} if data is None else data["settings"]
    if write.ref.id == OF_TENANT:
        return replace(it, settings=(settings, of_property))
    return replace(it, settings=(of_tenant, settings)) if write.ref.id == it.property_id else it


def _with_condition(it: Premises, write: Write, data: Body | None) -> Premises:
    name, shut = str(write.ref.id), data is not None and data.get("swapped_at") is not None
    return replace(it, quarantined=(it.quarantined - {name}) | ({name} if shut else set()))


_CHANGES: Final = {
    "devices": _with_device,
    "properties": _with_hotel,
    POLICIES: _with_settings,
    DEVICES_AT.collection: _with_condition,
}

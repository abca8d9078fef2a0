"""A company comes from another cell: proven, taken in page by page, sealed anew, compared, and then at work.

1. Whoever is to come is invited: a key is drawn, good for a week, and the other cell seals secrets for it.
2. Its record is written first, with a pin that no cell has: nothing works for it while it is on its way.
3. Boxes, then documents: what is there already was brought by a try before this one, and is passed over.
4. Its audit log begins with the day after the last that the other cell closed, and keeps that checkpoint.
5. The record gets this cell's pin, and says that no lock was compared: until each was, none is asked to hold
   or to let go of a key (`shared/keywork/step.py`).

Each step may break off and be done again (decision 0249). All goes through the ports.
"""

import base64
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

import orjson
from nacl.public import PrivateKey, SealedBox

from infra.local.brought import LEFT_BEHIND, as_operator, check_manifest, is_brought, opened_box, put_at
from shared.audit.anchor import moved
from shared.domain.errors import InvalidInput
from shared.domain.ids import TenantId
from shared.domain.instants import utc
from shared.domain.replacing import replace
from shared.domain.secret import Secret
from shared.keywork.vault import secret_of
from shared.ledger.admission import ARRIVING, NOBODY, PIN, RECORD, UNCOMPARED
from shared.ledger.comparison import Occasion, Progress, comparison_from, ref_of
from shared.ledger.grant_record import GRANTS, GrantRecord, grant_from
from shared.ledger.residents import houses_of
from shared.ledger.sealed_keys import SealedKeys
from shared.ports.bus import Message
from shared.ports.documents import (
    AlreadyExists,
    Create,
    Document,
    Ref,
    TenantDocuments,
    Update,
    Write,
)
from shared.ports.vault import SealContext, SecretMissing
from shared.runtime.keys import services_of
from shared.runtime.platform import Platform
from shared.usecases.audit.books import begun_book
from shared.usecases.audit.log_files import LogFiles, folder_of
from shared.usecases.audit.services import AuditServices
from shared.usecases.reconcile.begin_comparison import BeginComparison, begin_comparisons

KEY: Final = Ref("arrivals", "key")
PURPOSE: Final = "tenant-arrival"
INVITED_FOR: Final = timedelta(days=7)
EXPORT: Final = "export"
PREDECESSOR: Final = "predecessor"
"""The file of a log that goes on from another cell's: what that one's last checkpoint was."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """One company, on its way into this cell."""

    tenant: TenantId
    on: Platform

    async def invited(self) -> dict[str, Any]:
        """Return the key that the other cell is to seal for; it is drawn once, and goes by itself."""
        with as_operator():
            self._check_name()
            found = await self._sealed.get(KEY)
            if found is None:
                await self._check_unknown()
                found = await self._drawn()
            return {"tenant": self.tenant, "cell": self.on.cell, "key": found.data["public"]}

    async def begin(self, manifest: Mapping[str, Any]) -> dict[str, Any]:
        """Begin, or go on with the same export; refuse any that is not for this cell, or not for now."""
        self._check_name()
        check_manifest(manifest, self.tenant, self.on.cell)
        with as_operator():
            record = {**manifest["record"], PIN: ARRIVING, EXPORT: manifest["sha256"]}
            try:
                await self._main.commit([Create(RECORD, record)])
            except AlreadyExists:
                return {"here": await self._is_here(manifest["sha256"])}
            return {"here": False}

    async def boxes(self, boxes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Take in what was sealed for this cell."""
        with as_operator():
            await self._check_arriving()
            opener = SealedBox(PrivateKey((await self._key()).reveal()))
            for box in boxes:
                await self._box(box, opened_box(box, opener))
        return {"boxes": len(boxes)}

    async def documents(self, documents: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Take in what is not sealed; what has come in a box, or by a try before, is there already."""
        with as_operator():
            await self._check_arriving()
            due = [each for each in documents if each["data"] is not None and is_brought(each)]
            await self._created(self._main, [await self._ready(each) for each in due])
        return {"documents": len(documents)}

    async def end(self, manifest: Mapping[str, Any]) -> dict[str, Any]:
        """Let this cell work for the company, its audit log go on, and all its locks be compared first."""
        with as_operator():
            await self._log_begun(manifest.get("audit"))
            found = await self._record()
            if found.data[PIN] == ARRIVING:
                pinned = {**found.data, PIN: self.on.cell, UNCOMPARED: True}
                await self._main.commit([Update(RECORD, pinned, found.version)])
            self.on.hotels.forget(self.tenant)
            why, services = BeginComparison(Occasion.RESTORED, self.tenant), services_of(self.on)
            begun = await begin_comparisons(why, self.on.documents, self.on.cell, services)
        return {"begun": [*begun.comparisons], "failed": [str(each) for each in begun.failed]}

    async def settled(self) -> dict[str, Any]:
        """Let work at the locks begin, once each was compared; say which were not."""
        with as_operator():
            found = await self._record()
            waiting = [each async for each in self._uncompared(found.data)]
            if not waiting and found.data.get(UNCOMPARED):
                kept = {name: each for name, each in found.data.items() if name != UNCOMPARED}
                await self._main.commit([Update(RECORD, kept, found.version)])
                self.on.hotels.forget(self.tenant)
        return {"waiting": waiting}

    async def hear(self, boxes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Publish what the other cell set aside meanwhile; an event that was heard has no effect again."""
        with as_operator():
            opener = SealedBox(PrivateKey((await self._key()).reveal()))
            for inside in (opened_box(each, opener) for each in boxes):
                told = base64.b64decode(inside["data"])
                if orjson.loads(told).get("tenantId") != self.tenant:
                    raise InvalidInput("box", "another company's event", "hand its own over")
                message = Message(told, inside["attributes"], inside["ordering_key"])
                await self.on.bus.publish(inside["topic"], [message])
        return {"heard": len(boxes)}

    @property
    def _main(self) -> TenantDocuments:
        return self.on.documents.tenant(self.tenant)

    @property
    def _sealed(self) -> TenantDocuments:
        return self.on.sealed.tenant(self.tenant)

    def _check_name(self) -> None:
        if self.tenant == NOBODY:
            raise InvalidInput("tenant", "a name that is ours", "name a company")

    async def _check_unknown(self) -> None:
        if await self._main.get(RECORD) is not None:
            raise InvalidInput("tenant", "is or was here", "a company comes to a cell that has nothing of it")

    async def _is_here(self, digest: str) -> bool:
        """Say whether the same export has come whole; refuse any other."""
        found = await self._record()
        if found.data.get(EXPORT) != digest:
            await self._check_unknown()
        return bool(found.data[PIN] == self.on.cell)

    async def _check_arriving(self) -> None:
        if (await self._record()).data[PIN] != ARRIVING:
            raise InvalidInput(
                "tenant", "not on its way here", "begin with its export: keyfleet tenant import"
            )

    async def _record(self) -> Document:
        found = await self._main.get(RECORD)
        if found is None:
            raise InvalidInput("tenant", "nothing of it is here", "keyfleet tenant import")
        return found

    async def _drawn(self) -> Document:
        private = PrivateKey(self.on.entropy.token(PrivateKey.SIZE))
        sealed = await self.on.cipher.seal(self._context, Secret(bytes(private)))
        public = base64.b64encode(bytes(private.public_key)).decode()
        data = {"schema_version": 1, "public": public, "sealed": base64.b64encode(sealed).decode()}
        (version,) = await self._sealed.commit([Create(KEY, data, self.on.clock.now() + INVITED_FOR)])
        return Document(KEY, data, version)

    async def _key(self) -> Secret[bytes]:
        found = await self._sealed.get(KEY)
        if found is None:
            raise InvalidInput(
                "tenant", "not invited, or too long ago", "invite it, and have it exported again"
            )
        return await self.on.cipher.open(self._context, base64.b64decode(found.data["sealed"]))

    @property
    def _context(self) -> SealContext:
        return SealContext(PURPOSE, self.tenant, str(KEY), "sealed")

    async def _box(self, box: Mapping[str, Any], inside: Mapping[str, Any]) -> None:
        if box["db"] == "secrets":
            await self._secret(str(inside["id"]), base64.b64decode(inside["value"]))
            return
        if box["collection"] in LEFT_BEHIND:
            return
        data = inside["data"]
        for each in inside["opened"]:
            put_at(data, each["path"], await self._sealed_anew(each))
        store = {"main": self._main, "sealed": self._sealed}[box["db"]]
        ready = self._write({"collection": box["collection"], **inside, "data": data})
        await self._created(store, [ready])

    async def _sealed_anew(self, opened: Mapping[str, Any]) -> str:
        context = SealContext(opened["purpose"], self.tenant, opened["record"], opened["field"])
        return base64.b64encode(
            await self.on.cipher.seal(context, Secret(base64.b64decode(opened["plain"])))
        ).decode()

    async def _secret(self, name: str, value: bytes) -> None:
        """Keep an account, if it is not there: a try before this one may have kept it."""
        try:
            await self.on.secrets.latest(name)
        except SecretMissing:
            await self.on.secrets.add(name, Secret(value))

    async def _ready(self, told: Mapping[str, Any]) -> Create | None:
        data = told["data"]
        if told["collection"] == "audit_streams":
            data = {**data, "entries": [], "alias": None}  # places and aliases are those of the other log
        write = self._write({**told, "data": data})
        return await self._found_again(write) if write and told["collection"] == GRANTS else write

    def _write(self, told: Mapping[str, Any]) -> Create | None:
        until = told["expires"] and utc(datetime.fromisoformat(told["expires"]), "expires")
        if until and until <= self.on.clock.now():
            return None
        return Create(Ref(told["collection"], told["id"]), told["data"], until or None)

    async def _found_again(self, write: Create) -> Create:
        """Have a key at a lock found by its PIN and its vendor's name under this cell's own key."""
        kept = grant_from(Document(write.ref, write.data, ""))
        if kept.grant.pin_index is None and kept.grant.vendor_ref_index is None:
            return write
        keys = SealedKeys(self._sealed, self.on.cipher, kept.grant.vendor)
        sealed, grant = await keys.find(secret_of(kept)), kept.grant
        pin = ref = None
        if sealed is not None and grant.pin_index is not None and sealed.artifact is not None:
            pin = (await keys.pin_indexes(grant.property_id, sealed.artifact))[0]
        if sealed is not None and grant.vendor_ref_index and (named := sealed.refs.get(grant.vendor_name)):
            ref = await keys.ref_index(grant.property_id, named)
        again: GrantRecord = replace(
            kept, grant=replace(grant, pin_index=pin, vendor_ref_index=ref), version=None
        )
        return Create(write.ref, again.write().data, write.expires_at)

    async def _created(self, store: TenantDocuments, writes: Sequence[Create | None]) -> None:
        due = [each for each in writes if each is not None]
        known = await store.get_all([each.ref for each in due]) if due else []
        new: list[Write] = [each for each, there in zip(due, known, strict=True) if there is None]
        if new:
            await store.commit(new)

    async def _log_begun(self, last: Mapping[str, Any] | None) -> None:
        if last is None:
            return  # its log never began: it begins here with its oldest day
        book = await begun_book(AuditServices.on(self.on), self.tenant, moved(str(last["date"]), 1))
        await book.files.put(PREDECESSOR, orjson.dumps(last, option=orjson.OPT_SORT_KEYS))

    async def _uncompared(self, record: Mapping[str, Any]) -> AsyncIterator[str]:
        """Yield at whose locks of which hotel a comparison is owed still."""
        if record[PIN] == ARRIVING:
            yield "every hotel"
        if not record.get(UNCOMPARED):
            return
        for house in await houses_of(self._main):
            setup = await self.on.hotels.premises(self.tenant, house)
            for vendor in sorted({door.vendor for door in setup.devices}):
                found = await self._main.get(ref_of(house, vendor))
                if found is None or comparison_from(found).progress is not Progress.DONE:
                    yield f"{house} at {vendor}"


async def followed_log(on: AuditServices, tenant: TenantId) -> Any:
    """Return where the log stood in another cell from which a company's goes on; None where it began here."""
    found = await LogFiles(on.objects, folder_of(tenant), on.now).find(PREDECESSOR)
    return None if found is None else orjson.loads(found)

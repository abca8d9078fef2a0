"""What a clerk can do at the desk, in the clerk's words: the one door between console and desk.

| the cloud | a job of the stay | issuing is |
|---|---|---|
| there | waits, or was begun | that job's card |
| there | none | refused: the cloud orders it, or says in the ledger why not |
| away | was begun, and the cloud had said yes | that job's card, told later |
| away, also when it goes away meanwhile | waits, or none | a key made alone, by the rules of A §9 |
| either | any, and the stay's own card lies there | nothing: a press that broke off is pressed again |
| there | waits, and takes the place of the card that lies there | the job's card: a stay that lasts longer |

Whoever acts is signed in, by the PIN that the arrivals know of. Every problem is a code: the console has the
words for it in five languages.
"""

import asyncio
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any, Final

from edge_agent.agent.loop import AgentLoop
from edge_agent.agent.shown import arrivals_shown, job_shown, labels_on, reservation_of
from edge_agent.agent.wiring import OURS, DeskAgent
from edge_agent.cloud.line import CloudRefused, CloudSilent
from edge_agent.console.desk_port import ClerkProblem, Done
from edge_agent.hardware.cards.keycard import KeyCardPress
from edge_agent.hardware.cards.layout import CardRecord
from edge_agent.hardware.cards.reader import Card, CardReader
from edge_agent.hardware.errors import HardwareError, NotSupported
from edge_agent.issuing.desk import OfflineRefused
from edge_agent.issuing.makers import CHANCE_BITS
from edge_agent.issuing.rules import OfflineWish, Standing
from edge_agent.ledger.desk_tables import WRITING, WRITTEN, DeskJobRow
from edge_agent.ledger.ledger import DeskLedger
from edge_agent.relay.by_system import SystemWriter
from edge_agent.relay.encode import JobWriter, card_record
from edge_agent.relay.jobs import JobGone
from shared.domain.credential import KeyCredential
from shared.domain.ids import CredentialId, ReservationId, UserId
from shared.domain.kinds import KeyCredentialKind, RevokeReason
from shared.domain.permissions import Permission
from shared.offline.arrivals import ArrivalsPack, ExpectedStay
from shared.offline.sign_in import pin_is

LAST_ACTIONS: Final = 20
NOBODY: Final = "scrypt$nobody$"


@dataclass
class Front:
    """The desk, as a clerk has it in hand."""

    agent: DeskAgent
    loop: AgentLoop
    done: deque[tuple[datetime, str, Done]] = field(default_factory=lambda: deque(maxlen=LAST_ACTIONS))
    _writing: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def encoder(self) -> str:
        """The encoder that cards are written on: the first."""
        for name in self.agent.parts.encoders:
            return name
        raise ClerkProblem("no_device")

    async def sign_in(self, user: str, pin: str) -> frozenset[Permission] | None:
        """Return what somebody may do here, if that is their PIN; it takes as long for a stranger."""
        pack = (await self.agent.papers.standing()).pack
        known = {str(one.user): one for one in pack.staff} if pack else {}
        one = known.get(user)
        proved = pin_is(pin, one.pin if one else NOBODY)  # some 50 ms, at a screen of one person
        return one.permissions if one and proved else None

    async def overview(self) -> dict[str, Any]:
        """Return how the desk stands: in touch or alone, who comes, what waits, what was done."""
        standing = await self.agent.papers.standing()
        jobs = await self.agent.parts.ledger.run(lambda it: it.jobs.open())
        written = await self.agent.parts.ledger.run(lambda it: it.jobs.written())
        keys = await self.agent.parts.ledger.run(lambda it: it.keys_in("active"))
        unsent = await self.agent.parts.ledger.run(lambda it: len(it.unsent(1000)))
        pack = standing.pack
        return {
            "property": self.agent.identity.property,
            "desk": self.agent.identity.name,
            "online": self.agent.reach.lately and not self.loop.problem,
            "problem": self.loop.problem,
            "clock_untrue": self.agent.line.clock_is_untrue,
            "encoders": {name: await each.plugged() for name, each in self.agent.parts.encoders.items()},
            "systems": sorted(self.agent.parts.systems),
            "unsent": unsent,
            "witness": str(self.agent.witness.key),
            "arrivals_from": None if pack is None else pack.issued,
            "arrivals_good": pack is not None and pack.fresh(standing.now),
            "certified_until": None if standing.certificate is None else standing.certificate.ends,
            "arrivals": arrivals_shown(pack, [*written, *jobs], keys) if pack else [],
            "jobs": [job_shown(row, pack) for row in jobs],
            "done": [(at, user, did) for at, user, did in reversed(self.done)],
        }

    async def issue(self, user: str, reservation: str, once: str) -> Done:
        """Write a stay's card on what lies on the encoder; `once` names the press of the button."""
        async with self._writing:
            row = await self._job_of(reservation)
            begun = row is not None and row.step == WRITING and row.told
            job = row if begun or await self._online() else None
            before = await self._issued_before(reservation, job)
            if before is not None:
                return before
            if job is not None:
                await self._demand(user, Permission.KEY_ISSUE)
                with suppress(CloudSilent):  # it went away before anything was written: we are alone
                    return self._noted(user, await self._written(job))
            elif await self._online():
                raise ClerkProblem("no_job")
            return self._noted(user, await self._made_alone(user, reservation, once))

    async def give_up(self, user: str, job: str) -> Done:
        """Say that the card that a job was begun on is gone."""
        await self._demand(user, Permission.KEY_ISSUE)
        row = await self.agent.parts.ledger.run(lambda it: it.jobs.get(job))
        row = await self._writer(row).give_up(job)
        return self._noted(user, Done("given_up", str(row.document["reservationId"])))

    async def replace_lost(self, user: str, reservation: str, once: str) -> Done:
        """Make another key in place of the one that this desk made alone for a stay, which ends by that."""
        await self._demand(user, Permission.KEY_REPLACE)
        async with self._writing:
            lost = await self._lost_of(reservation)
            if lost is None:
                raise ClerkProblem("no_local_key")
            return self._noted(user, await self._made_alone(user, reservation, once, lost))

    async def revoke(self, user: str, reservation: str) -> Done:
        """Withdraw the keys that this desk made for a stay, and erase the card if it lies there."""
        await self._demand(user, Permission.KEY_REVOKE)
        standing = await self.agent.papers.standing()
        keys = await self._keys_of(reservation)
        if not keys or standing.certificate is None or standing.pack is None:
            raise ClerkProblem("no_local_key")
        maker = self.agent.card_maker(self.encoder, standing.pack)
        for key in keys:
            await self.agent.offline.revoke(str(key.id), RevokeReason.CHECKOUT, standing.certificate, maker)
        return self._noted(user, Done("revoked", reservation))

    async def read_card(self) -> dict[str, Any]:
        """Return what stands on the card that lies there: when it opens, and which of our rooms."""
        card, record = await self._on_encoder(self._read)
        pack = (await self.agent.papers.standing()).pack
        labels = labels_on(record, pack)
        return {
            "from": record.valid_from,
            "until": record.valid_until,
            "rooms": labels,
            "kind": card.kind.name,
        }

    async def write_what_lies_there(self) -> None:
        """Write the only open job on a card that is laid down, unasked: for desks without a clerk."""
        while True:
            await self.agent.parts.sleep(0.2)
            rows = await self.agent.parts.ledger.run(lambda it: it.jobs.open())
            if len(rows) != 1 or rows[0].document["dialect"] != OURS:
                continue  # a lock system would be asked again and again, for whatever lies there
            try:
                async with self._writing:
                    await self.agent.writer(self.encoder).write(rows[0].id)
            except (HardwareError, CloudSilent, CloudRefused, JobGone):
                continue

    async def _online(self) -> bool:
        return not await self.agent.reach.offline()

    async def _demand(self, user: str, permission: Permission) -> None:
        pack = (await self.agent.papers.standing()).pack
        if pack is None or not pack.may(user, permission):
            raise ClerkProblem("not_permitted")

    async def _job_of(self, reservation: str) -> DeskJobRow | None:
        rows = await self.agent.parts.ledger.run(lambda it: it.jobs.open())
        return next((row for row in rows if row.document["reservationId"] == reservation), None)

    async def _keys_of(self, reservation: str) -> list[KeyCredential]:
        keys = await self.agent.parts.ledger.run(lambda it: it.keys_in("active"))
        return [key for key in keys if reservation_of(key) == reservation]

    async def _issued_before(self, reservation: str, job: DeskJobRow | None) -> Done | None:
        """Say what is so where the card of this stay lies there already, whole; a job may end that card."""
        rows = await self.agent.parts.ledger.run(lambda it: it.jobs.written())
        rows = [row for row in rows if row.uid and row.document["reservationId"] == reservation]
        rows = [row for row in rows if not _ends(job, row.document["keyCredentialId"])]
        keys = [key for key in await self._keys_of(reservation) if not _ends(job, str(key.id))]
        if not (rows or keys) or not self.agent.parts.encoders:
            return None
        try:
            card, record = await self.agent.parts.encoders[self.encoder].run(self._read)
        except HardwareError:
            return None  # no card, or one that is not ours: the press goes its way
        for row in rows:
            if (row.uid, card_record(row.document, self.agent.identity.property_id)) == (
                card.uid.hex(),
                record,
            ):
                return Done("issued", reservation, datetime.fromisoformat(row.document["ends"]))
        for key in keys:
            number = await self.agent.parts.ledger.run(partial(DeskLedger.card_of, key_id=str(key.id)))
            if number == record.number >> CHANCE_BITS:
                return Done("issued", reservation, key.core.window.end, alone=True)
        return None

    async def _lost_of(self, reservation: str) -> CredentialId | None:
        """Return the key of a stay to be replaced: in use, or ended by a replacement that broke off."""
        for key in await self._keys_of(reservation):
            return key.id
        left = [work.key for work in await self.agent.offline.left()]
        return next((key.core.replaces for key in left if reservation_of(key) == reservation), None)

    def _writer(self, row: DeskJobRow) -> JobWriter | SystemWriter:
        try:
            return self.agent.writer_of(row, self.encoder if row.document["dialect"] == OURS else "")
        except NotSupported:
            raise ClerkProblem("no_system") from None

    async def _written(self, row: DeskJobRow) -> Done:
        try:
            written = await self._writer(row).write(row.id)
        except HardwareError as error:
            raise ClerkProblem(error.kind) from None
        except JobGone:
            raise ClerkProblem("job_gone") from None
        except CloudRefused:
            raise ClerkProblem("refused") from None
        if written.step != WRITTEN:
            raise ClerkProblem(written.error or "refused")
        until = datetime.fromisoformat(row.document["ends"])
        return Done("issued", str(row.document["reservationId"]), until)

    async def _made_alone(
        self, user: str, reservation: str, once: str, replaces: CredentialId | None = None
    ) -> Done:
        standing = await self.agent.papers.standing()
        stay = standing.pack.stay(reservation) if standing.pack else None
        if standing.pack is None or stay is None:
            raise ClerkProblem("no_arrivals" if standing.pack is None else "stay_unknown")
        wish = _wish(user, stay, once, replaces)
        try:
            key = await self._maker_at_work(wish, standing, standing.pack)
        except OfflineRefused as refusal:
            raise ClerkProblem(refusal.reason) from None
        except HardwareError as error:
            raise ClerkProblem(error.kind) from None
        return Done("issued", reservation, key.core.window.end, alone=True)

    async def _maker_at_work(
        self, wish: OfflineWish, standing: Standing, pack: ArrivalsPack
    ) -> KeyCredential:
        maker = self.agent.card_maker(self.encoder, pack)
        for left in await self.agent.offline.left():
            if reservation_of(left.key) == wish.reservation and left.key.core.rooms == wish.rooms:
                return await self.agent.offline.take_up(left, wish, standing, maker)
        return await self.agent.offline.issue(wish, standing, maker)

    async def _on_encoder(self, job: Any) -> tuple[Card, CardRecord]:
        try:
            found: tuple[Card, CardRecord] = await self.agent.parts.encoders[self.encoder].run(job)
        except HardwareError as error:
            raise ClerkProblem(error.kind) from None
        return found

    async def _read(self, reader: CardReader) -> tuple[Card, CardRecord]:
        return await KeyCardPress(reader, self.agent.cards).read()

    def _noted(self, user: str, did: Done) -> Done:
        self.done.append((self.agent.parts.clock.now(), user, did))
        return did


def _ends(job: DeskJobRow | None, key: str) -> bool:
    """Say whether a job's card takes the place of a key's card: it ends all before it, or is of that key."""
    if job is None:
        return False
    told = job.document
    return bool(told["overrides"] or key == told["keyCredentialId"] or key in told["localIds"])


def _wish(user: str, stay: ExpectedStay, once: str, replaces: CredentialId | None) -> OfflineWish:
    return OfflineWish(
        once=once,
        reservation=ReservationId(stay.reservation),
        rooms=stay.rooms,
        kind=KeyCredentialKind.RFID_CARD,
        clerk=UserId(user),
        replaces=replaces,
    )

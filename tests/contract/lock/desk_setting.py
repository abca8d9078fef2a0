"""The contracts' setting at a front desk: somebody lays cards on the encoder, and doors hear of nothing."""

from dataclasses import asdict
from datetime import timedelta

import orjson

from infra.simulators.generic_wiegand.desk import SimulatedDesk
from infra.simulators.generic_wiegand.doors import OfflineDoor
from shared.domain.grant import name_at_vendor
from shared.runtime.indexes import INDEXES
from shared.vendor_kit.desk_jobs import DeskJobs, JobError, JobState
from shared.vendor_kit.registry import opener_of
from tests.contract.lock.setting import ABLE, DOOR_101, FRONT, KABUL, TENANT, VENDOR_NAMES, Setting
from tests.contract.lock.setting import KeyCredentialKind as Kind
from tests.support.vendors import GENERIC_WIEGAND


class DeskSetting(Setting):
    """A desk that is there, and pulls its jobs when it is told to."""

    vendor_code = GENERIC_WIEGAND
    kind, secret = Kind.RFID_CARD, None
    able = ABLE
    indexes = INDEXES
    dialect = None

    def __init__(self, folder, **options):
        super().__init__(folder, **options)
        doors = {name: OfflineDoor(name) for name in VENDOR_NAMES.values()}
        self.desk = SimulatedDesk(doors)

    def http(self):
        """Call nobody: a desk is reached through the store."""

    def binding(self, account=None, **changes):
        told = {} if self.dialect is None else {"dialect": self.dialect}
        return super().binding(orjson.dumps(account or told), **changes)

    def make_vendor(self):
        return opener_of(self.vendor_code)(self.binding(), self.means)

    @property
    def jobs(self):
        """The desk's own view of its jobs."""
        documents = self.means.documents.tenant(TENANT)
        return DeskJobs(documents, self.clock, self.vendor_code, KABUL.id)

    def keys(self, name="first", doors=(DOOR_101, FRONT), **changes):
        """Return the shares of one key at several doors."""
        set_name = name_at_vendor(f"set {name}")
        return [
            self.key(f"{name} {door}", device_id=door, set_name=set_name, secret=None, **changes)
            for door in doors
        ]

    async def pulled(self):
        """Be there, and see what is to be done."""
        return await self.jobs.pulled()

    async def take(self):
        """Take every job, and lay down no card yet."""
        for job in await self.pulled():
            await self.jobs.advance(job.id, JobState.RECEIVED)

    async def work(self):
        """Take every job and write its card, if the encoder does."""
        for job in await self.pulled():
            await self.jobs.advance(job.id, JobState.RECEIVED)
            lies = await self.jobs.advance(job.id, JobState.PROCESSING)
            if lies.state is JobState.PROCESSING:
                await self.answer(job)

    async def answer(self, job):
        """Write a job's card, and tell how it went."""
        fault = self.desk.write(asdict(job))
        state = JobState.PROCESSED if fault is None else JobState.ERROR
        return await self.jobs.advance(job.id, state, fault and JobError(fault))

    async def placed(self, keys):
        """Order a card and have it written; return what is said of it at each door."""
        await self.pulled()
        (first, *_) = await self.vendor.place_all(keys)
        await self.work()
        return await self.vendor.status(first.job, keys)

    def opens(self, at, device=DOOR_101, after=timedelta()):
        """Hold a card to a door."""
        return self.desk.tried(at.vendor_ref.reveal(), VENDOR_NAMES[device], self.clock.now() + after)

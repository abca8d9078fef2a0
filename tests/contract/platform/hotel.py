"""The sample hotel on Google Cloud: records in Firestore, account in Secret Manager, doors at TTLock."""

import asyncio
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime

import orjson

from infra.local.ambient import SystemClock
from infra.local.sample.account import sample_account, simulator_address
from infra.local.sample.load import move_in, read_sample
from infra.manifest.model import SCHEDULER
from shared.domain.secret import Secret
from shared.runtime.platform import bind
from shared.vendor_kit.accounts import account_secret
from tests.contract.platform.cloud import Cloud
from tests.contract.sagas.ground import Settable
from tests.support.sample_hotel import BOOKING, SILK, SampleHotel, message, owed

TODAY = datetime(2026, 3, 1, 10, tzinfo=UTC)
TTLOCK_ADDRESS = simulator_address(8788)
FUNCTIONS = {"confirmed": "on-booking-confirmed", "checked_out": "on-booking-checked-out"}
LONGEST_WAIT = 20


class Hotel:
    """The hotel, the fleet that makes its keys, and a look at both."""

    def __init__(self, folder):
        self.clock = Settable(SystemClock())
        self.clock.ahead = TODAY - self.clock.now()
        self.cloud, self.doors = Cloud(folder, self.clock), SampleHotel(self.clock, seed=7)

    @property
    def platform(self):
        return self.cloud.platform

    async def settle_in(self, tenant=SILK):
        """Keep the hotel's records under a tenant, and its account."""
        sample, cell = read_sample(), self.platform.cell
        home = replace(sample.tenant, id=tenant, data_residency=cell)
        await move_in(replace(sample, tenant=home), self.platform.documents, TODAY)
        # The simulator has one account; of another tenant it counts as another, which it would be.
        account = orjson.loads(sample_account(sample.vendor(), TTLOCK_ADDRESS).reveal())
        name = account_secret(sample.vendor(), tenant, sample.property.id)
        await self.platform.secrets.add(name, Secret(orjson.dumps({**account, "house": tenant})))

    async def publish(self, event, subject="confirmed", **data):
        """Publish a booking event, for Pub/Sub to push."""
        await self.platform.bus.publish(f"{BOOKING}.{subject}.v1", [message(event, subject, **data)])

    async def deliver(self, event, subject="confirmed", **data):
        """Push a booking event to its function at once, and return how that answered."""
        answer = await self.cloud.post.deliver(FUNCTIONS[subject], message(event, subject, **data))
        return answer.status

    async def sweep(self):
        """Sweep as Cloud Scheduler does each minute."""
        return await self.cloud.internet.call("sweep-due", b"{}", caller=SCHEDULER)

    async def called(self, function, times):
        """Return once a function was called so often."""
        async with asyncio.timeout(LONGEST_WAIT):
            while len(self.cloud.internet.answers_of(function)) < times:  # noqa: ASYNC110 - nobody to tell us
                await asyncio.sleep(0.02)

    async def documents(self, collection, *, tenant=SILK, sealed=False):
        """Return everything of a collection by id."""
        settings = self.cloud.settings
        database = settings.sealed_database if sealed else settings.main_database
        return await self.cloud.shelves.all_of(tenant, collection, database)

    async def grants(self):
        """Return all grants of the tenant."""
        return [kept["grant"] for kept in (await self.documents("grants")).values()]

    async def executed(self, operation):
        """Return how often TTLock did something."""
        return (await self.doors.steer("GET", "counters")).get(operation, {}).get("executed", 0)

    async def issued(self, keys=1):
        """Return the entries once so many keys are issued and told, and all is quiet."""
        await self.cloud.post.told("issued", keys)
        return await self.at_rest(keys)

    async def taken_back(self):
        """Let the guest leave, and return the entry once the key has left its locks."""
        await self.publish("evt_out", "checked_out", time="2026-03-05T07:00:00Z")
        await self.cloud.post.told("revoke_settled")
        (entry,) = await self.at_rest()
        return entry

    async def at_rest(self, keys=1, **where):
        """Return the ledger's entries once there are so many, nothing is owed to any, and all is quiet."""
        async with asyncio.timeout(LONGEST_WAIT):
            await self.cloud.waker.process.sagas.settled()
            await self.cloud.internet.quiet()
        entries = list((await self.documents("credentials", **where)).values())
        assert (len(entries), [entry for entry in entries if owed(entry)]) == (keys, [])
        return entries


@asynccontextmanager
async def hotel(folder, firestore, pubsub):
    """Yield the hotel, open, with the platform bound as in a function's process."""
    opened = Hotel(folder)
    await opened.cloud.open(firestore, pubsub)
    opened.cloud.internet.neighbours[TTLOCK_ADDRESS] = opened.doors
    bind(opened.platform)
    await opened.settle_in()
    try:
        yield opened
    finally:
        await opened.cloud.close()

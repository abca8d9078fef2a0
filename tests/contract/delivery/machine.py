"""The embedded cloud's parts on the real machine: its clock, its disk, its writer thread, real sockets."""

from contextlib import asynccontextmanager

from infra.local.ambient import SystemClock, SystemEntropy
from infra.local.bus import SCHEMA as BUS_SCHEMA
from infra.local.counters import Counters
from infra.local.delivery.parts import DeliveryParts
from infra.local.faults import NoFaults
from infra.local.schedules import SCHEMA as SCHEDULES_SCHEMA
from infra.local.storage.database import open_database
from infra.local.storage.engine import Engine
from infra.local.tasks import SCHEMA as TASKS_SCHEMA
from infra.local.transport import Sockets
from tests.support.delivery_rig import PROJECT, CountingIds, PlainTokens


@asynccontextmanager
async def machine(folder, faults=None):
    """Yield the means of a part, and close the file at the end."""
    faults, counters, entropy = faults or NoFaults(), Counters(), SystemEntropy()
    schema = (*BUS_SCHEMA, *TASKS_SCHEMA, *SCHEDULES_SCHEMA)
    engine = Engine(
        open_database(folder / "fleet.db", schema, entropy.token), faults=faults, counters=counters
    )
    engine.start()
    transport = Sockets()
    yield DeliveryParts(
        PROJECT, engine, SystemClock(), entropy, CountingIds(), transport, PlainTokens(), faults, counters
    )
    await transport.close()
    await engine.close()

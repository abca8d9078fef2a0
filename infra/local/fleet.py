"""The embedded cloud as a whole: every part on one file and one loop, and the fleet it hosts."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any, cast

from starlette.types import Receive, Scope, Send

from infra.local import bus, documents, objects, roles, schedules, secrets, tasks, upkeep, wiring
from infra.local.api_docs.serve import docs_function
from infra.local.cipher import GuardedCipher, LocalCipher
from infra.local.control import boot_log
from infra.local.control.late import LateControl
from infra.local.counters import Counters
from infra.local.delivery.parts import DeliveryParts
from infra.local.delivery.payloads import Sealed
from infra.local.documents.orphans import free_orphans
from infra.local.home_witness import HomeWitness
from infra.local.host.app import Host
from infra.local.host.functions import described, load_functions
from infra.local.identity import LocalIdentity
from infra.local.nudges import LocalNudges
from infra.local.operations import LocalDeadLetters, LocalExecutions, LocalSchedules
from infra.local.people import LocalPeople
from infra.local.rekeying import Rekeying
from infra.local.sagas import journal
from infra.local.sagas.callbacks import CallBack
from infra.local.sagas.run import Surroundings
from infra.local.sagas.service import LocalSagas
from infra.local.sample.moving import move_in_sample
from infra.local.sandbox.serve import sandbox_functions
from infra.local.storage.database import open_database
from infra.local.storage.engine import Engine
from infra.local.transport import ByAddress, InProcess
from infra.local.world import FleetConfig, World
from infra.manifest.load import Manifest, load_manifest
from shared.kernel.identity import TokenChecker
from shared.kernel.ids import DrawnIds
from shared.ledger.comparison import Occasion
from shared.ports.vault import Secrets
from shared.runtime.indexes import INDEXES
from shared.runtime.platform import Deployed, Platform, bind, deployed
from shared.vendor_kit.guard import Guards, Shared
from shared.vendor_kit.http import LARGEST_WORD, Http, HttpClient
from shared.vendor_kit.leases import DocumentLeases

SCHEMA = (
    *documents.SCHEMA,
    *documents.schema("main", INDEXES),
    *bus.SCHEMA,
    *tasks.SCHEMA,
    *schedules.SCHEMA,
    *secrets.SCHEMA,
    *objects.SCHEMA,
    *journal.SCHEMA,
    *boot_log.SCHEMA,
)
LATELY = timedelta(days=1)


class Fleet:
    """A running fleet; as an ASGI application it serves every function and the control plane."""

    def __init__(self, config: FleetConfig, world: World, manifest: Manifest) -> None:
        self.config, self.world, self.manifest = config, world, manifest
        self.counters = Counters()
        self.identity = LocalIdentity.at(config.identity_key, world.clock.now, world.entropy.token)
        self.people = LocalPeople.at(config.people_key, world.clock.now, world.entropy.token)
        self._inside = InProcess(self)
        self.witness = HomeWitness(config.database)
        self.witness.opened()
        engine = self._engine()
        self.cipher = self._cipher(engine)
        self.means = self._means(engine)
        self.rekeying = Rekeying(self.cipher, self.means.engine, world.clock.now)
        self._build_parts()
        self._host = self._build_host()
        self._upkeep: list[asyncio.Task[None]] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        await self._host(scope, receive, send)

    async def start(self) -> None:
        """Take up everything where it was left."""
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(self._report)
        loop.set_default_executor(roles.CarryingExecutor())
        self.means.engine.start()
        await self.cipher.begin()
        await self.documents.prepare()
        await self.sealed.prepare()
        now = self.means.clock.now()
        await move_in_sample(self.config, self.documents, self.platform.secrets, now)
        await free_orphans(self.means.engine, self.platform.leases)
        bind(self.platform)
        await self.bus.deliver_kept()
        self.bus.start()
        self.tasks.start()
        self.schedules.start()
        self.starts.note(self.means.clock.now())
        resumed = self.sagas.start_all()
        await upkeep.compare_if_owed(self)
        works = (upkeep.tidy, upkeep.fold, upkeep.look_at_telemetry)
        self._upkeep = [asyncio.ensure_future(work(self)) for work in works]
        self.world.log.info("fleet started", functions=len(self.manifest.functions), resumed=resumed)

    async def stop(self) -> None:
        """Stop in an order that leaves nothing half told; whatever is undone is taken up next time."""
        for work in self._upkeep:
            work.cancel()
        unfinished = self.sagas.under_way
        await self.schedules.stop()
        await self.tasks.stop()
        await self.bus.stop()
        await self.sagas.stop()
        await self.means.transport.close()
        await self.means.engine.close()
        self.witness.closed()
        self.world.log.info("fleet stopped", unfinished=unfinished)

    def _report(self, _loop: asyncio.AbstractEventLoop, context: Mapping[str, Any]) -> None:
        """Put what the loop has to tell into our own log, by place and without its words."""
        error = context.get("exception") or RuntimeError()
        self.world.log.failure(str(context.get("message", "something broke")), error)

    def status(self) -> Mapping[str, Any]:
        """Return how the fleet stands."""
        return {
            "base_url": self.config.base_url,
            "cell": self.config.cell,
            "functions": [described(name, function) for name, function in self._functions.items()],
            "backlog": dict(self.bus.backlog()),
            "parked": self.bus.dead_letters.count(),
            "kept": self.bus.kept.count(),
            "tasks_waiting": self.tasks.count(failed=False),
            "tasks_failed": self.tasks.count(failed=True),
            "executions": self.sagas.under_way,
            "failed_executions": self.journal.failed_since(self.world.clock.now() - LATELY),
            "refusing": self.means.engine.lost,
            "no_room": self.means.engine.no_room,
            "counters": dict(sorted(self.counters.items())),
        }

    def turned_away(self, reason: str) -> None:
        """Tell that a connection was not served, however often that happens."""
        self.counters["connections_turned_away"] += 1
        self.world.log.seldom("a connection was turned away", reason)

    def broke(self, error: BaseException) -> None:
        """Tell what broke while a request was served."""
        self.world.log.failure("a request was not answered", error)

    def _engine(self) -> Engine:
        world, config = self.world, self.config
        database = open_database(config.database, SCHEMA, world.entropy.token, accept_loss=config.accept_loss)
        if database.loss is not None:
            self.witness.owe(Occasion.RESTORED)
            upkeep.tell_loss(config, world, database.loss)
        return Engine(database, faults=world.faults, counters=self.counters, threaded=world.threaded)

    def _cipher(self, engine: Engine) -> LocalCipher:
        config = self.config
        try:
            return LocalCipher.at(
                config.master_key, self.world.entropy, engine, accept_loss=config.accept_loss
            )
        except BaseException:
            engine.discard()
            raise

    def _means(self, engine: Engine) -> DeliveryParts:
        world, config = self.world, self.config
        return DeliveryParts(
            project=config.project,
            engine=engine,
            clock=world.clock,
            entropy=world.entropy,
            ids=DrawnIds(world.clock.now, world.entropy.token),
            transport=ByAddress(config.base_url, self._inside, world.outside),
            tokens=self.identity,
            faults=world.faults,
            counters=self.counters,
            payloads=Sealed(self.cipher),
        )

    def _build_parts(self) -> None:
        means, url = self.means, self.config.base_url
        self._build_stores()
        self._build_bus()
        self.tasks = tasks.Tasks(means, wiring.queues(self.manifest, url))
        self.schedules = schedules.Schedules(means, wiring.schedules(self.manifest, url))
        self.journal = journal.Journal(means.engine, means.clock.now)
        self.sagas = self._sagas()
        self.starts = boot_log.Starts(means.engine)
        self.platform = self._platform()

    def _build_stores(self) -> None:
        engine, clock = self.means.engine, self.means.clock
        self.documents = documents.SqliteDocuments(engine, clock, INDEXES, "main")
        # No index: keys are renewed by walking the one table of all that is sealed.
        self.sealed = documents.SqliteDocuments(engine, clock, (), "sealed")

    def _build_bus(self) -> None:
        means, manifest, world = self.means, self.manifest, self.world
        subscriptions = wiring.subscriptions(manifest, self.config.base_url)
        self.bus = bus.Bus(means, wiring.topics(manifest), subscriptions, world.chaos, world.log)

    def _callbacks(self) -> str:
        """Return where callbacks lie, if not below our own address."""
        return ""

    def _outward(self) -> Http:
        return self.world.outside if self.config.sample else HttpClient(32, LARGEST_WORD, public_only=True)

    def _sagas(self) -> LocalSagas:
        url, log = self.config.base_url, self.world.log
        around = Surroundings(self.means, self.journal, url, log, self._callbacks())
        wake = CallBack(self.means.transport, self.identity, self.config.control_url)
        sources = wiring.workflow_sources(self.config.workflows)
        return LocalSagas(sources, around, wake, self.world.saga_starts)

    def _platform(self) -> Platform:
        means, config, cipher = self.means, self.config, self.cipher
        return Platform(
            cell=config.cell,
            documents=roles.held_to(self.documents, roles.DOCUMENTS),
            sealed=roles.held_to(self.sealed, roles.SEALED),
            bus=roles.HeldBus(self.bus),
            tasks=roles.held_to(self.tasks, roles.TASKS),
            sagas=roles.held_to(self.sagas, roles.SAGAS),
            secrets=cast("Secrets", roles.HeldSecrets(secrets.SqliteSecrets(means.engine, cipher))),
            cipher=GuardedCipher(cipher, lambda: deployed.get(NOBODY).opens, roles.sealing),
            leases=DocumentLeases(self.documents, means.clock),
            clock=means.clock,
            entropy=means.entropy,
            ids=means.ids,
            tokens=TokenChecker(self.identity.issuer, means.clock.now),
            log=self.world.log,
            http=self.world.outside,
            guards=self._guards(),
            sign_in=self.people.sign_in(config.base_url),
            dead_letters=roles.held_to(LocalDeadLetters(self.bus.dead_letters), roles.DEAD_LETTERS),
            executions=roles.held_to(LocalExecutions(self.sagas), roles.EXECUTIONS),
            schedules=roles.held_to(LocalSchedules(self.schedules), roles.SCHEDULES),
            objects=roles.held_to(objects.SqliteObjects(means.engine, means.clock), roles.OBJECTS),
            outward=self._outward(),
            sandbox=config.sample,
            tracing=self.world.tracing,
            nudges=roles.held_to(LocalNudges(), roles.NUDGES),
        )

    def _guards(self) -> Guards:
        shared = Shared(self.documents, self.means.entropy, self.bus, self.means.ids)
        return Guards(self.means.clock, self.world.log, shared, self.world.guard_policy)

    def _build_host(self) -> Host:
        beside = {**docs_function(self.config), **sandbox_functions(self.config, self.platform)}
        self._functions = {**load_functions(self.manifest, self.config.base_url), **beside}
        return Host(self._functions, LateControl(self), f"127.0.0.1:{self.config.port}", self.counters)


NOBODY = Deployed("nobody", "")


@asynccontextmanager
async def open_fleet(config: FleetConfig, world: World | None = None) -> AsyncIterator[Fleet]:
    """Run a fleet for a while."""
    fleet = Fleet(config, world or World.of(config), load_manifest())
    await fleet.start()
    try:
        yield fleet
    finally:
        await fleet.stop()

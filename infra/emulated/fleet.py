"""The fleet on the ports of Google Cloud: records and messages in its emulators, all else in small fakes.

The fakes speak Google's wire, and stand before parts of the embedded cloud: queues, schedules, workflows,
secrets and locked objects outlive a `kill -9` in the home's own file. The emulators are processes of their
own and outlive it too, as Google would.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, cast

import orjson

from infra.emulated import scheduler, storage
from infra.emulated.bus import EmulatedBus
from infra.emulated.executions import FakeExecutions
from infra.emulated.front import Front
from infra.emulated.installed import addresses_of
from infra.emulated.internet import CALLBACKS, Callbacks, Internet, PlainAccess
from infra.emulated.kms import EmulatedKms
from infra.emulated.parked_messages import ParkedMessages
from infra.emulated.pushes import taking_pushes
from infra.emulated.secrets import EmulatedSecrets
from infra.emulated.serving import serving
from infra.emulated.signing import Google, GoogleTokens, Signer
from infra.emulated.tasks import EmulatedTasks
from infra.emulated.topics import Administrator
from infra.local import objects, roles, secrets, wiring
from infra.local.bus.specs import SubscriptionSpec
from infra.local.delivery.attempt import attempt
from infra.local.delivery.parts import DeliveryParts
from infra.local.fleet import Fleet
from infra.local.keyfile import read_or_create
from infra.local.operations import LocalExecutions
from infra.local.storage.engine import Engine
from infra.local.world import FleetConfig, World
from infra.manifest.load import Manifest, load_manifest
from shared.gcp.identity import CERTIFICATES
from shared.gcp.settings import GoogleSettings
from shared.kernel.identity import TokenChecker
from shared.ports.vault import Secrets
from shared.runtime.google import Surroundings, google_platform
from shared.runtime.platform import Platform
from shared.vendor_kit.http import Http

if TYPE_CHECKING:
    from infra.local import bus, documents
    from infra.local.host.app import Host

NOTE: Final = "google.json"
REGION: Final = "europe-west6"
KMS_KEY: Final = "kms.key"
WRONG: Final = 503


@dataclass(frozen=True, slots=True)
class Project:
    """A home's project at the emulators, and the secret part of the address that they push to."""

    name: str
    push_secret: str
    known: bool

    @classmethod
    def of(cls, config: FleetConfig, world: World) -> "Project":
        """Read the note of a home, writing it the first time."""
        known = (config.home / NOTE).exists()
        drawn = {"name": f"keyfleet-{world.entropy.token(6).hex()}", "push": world.entropy.token(16).hex()}
        noted = orjson.loads(read_or_create(config.home / NOTE, lambda: orjson.dumps(drawn)))
        return cls(noted["name"], noted["push"], known)


class Database:
    """A database of Firestore, which makes itself ready and lets go of what expires by itself."""

    def __init__(self, kept: Any) -> None:
        self._kept = kept

    def __getattr__(self, name: str) -> Any:
        return getattr(self._kept, name)

    async def prepare(self) -> None:
        """There is nothing to be made ready."""

    async def purge(self) -> int:
        """Firestore deletes what expires, by the field that says when; its emulator keeps it."""
        return 0


class EmulatedFleet(Fleet):
    """A running fleet whose functions know nothing but Google's wire."""

    def __init__(
        self, config: FleetConfig, world: World, manifest: Manifest, addresses: Mapping[str, str]
    ) -> None:
        self._project, self._addresses = Project.of(config, world), dict(addresses)
        self._settings = _settings(config, self._project.name, self._addresses)
        self._signer = Signer("google")
        self._google_tokens = GoogleTokens(self._signer, world.clock, self._settings.email_of)
        self._open = AsyncExitStack()
        super().__init__(config, world, manifest)

    @property
    def project(self) -> str:
        """The home's project at the emulators."""
        return self._project.name

    async def start(self) -> None:
        """Serve the fakes, have every topic, and take up everything where it was left."""
        address = await self._open.enter_async_context(serving(*self._fakes()))
        self._addresses.update(dict.fromkeys(("tasks", "executions", "secrets", "kms"), address))
        taking = taking_pushes(self._project.push_secret, self._emulated_bus.pushed)
        pushes = await self._open.enter_async_context(taking)
        administrator = Administrator(self._addresses["pubsub"], self._project.name)
        self._open.push_async_callback(administrator.hang_up)
        await self._emulated_bus.open(administrator, pushes, known=self._project.known)
        await super().start()
        self._recalling = asyncio.ensure_future(self._emulated_bus.dead_letters.recall())

    async def stop(self) -> None:
        """Stop, and leave the emulators as they are."""
        self._recalling.cancel()
        await super().stop()
        await self._open.aclose()

    def _fakes(self) -> list[Any]:
        config, world = self.config, self.world
        seed = read_or_create(config.home / KMS_KEY, lambda: world.entropy.token(32))
        kept = secrets.SqliteSecrets(self.means.engine, self.cipher)
        return [
            EmulatedTasks(lambda: self.tasks),
            FakeExecutions(lambda: self.sagas),
            EmulatedSecrets(lambda: kept),
            EmulatedKms(seed, world.entropy),
        ]

    def _means(self, engine: Engine) -> DeliveryParts:
        return replace(super()._means(engine), tokens=self._google_tokens)

    def _build_stores(self) -> None:
        kept = objects.SqliteObjects(self.means.engine, self.means.clock)
        neighbours: dict[str, Http] = {
            CERTIFICATES: Google(self._signer),
            CALLBACKS: Callbacks(lambda: self.sagas, self.world.clock),
            storage.ADDRESS: storage.EmulatedStorage(self._settings.records_bucket, lambda: kept),
            scheduler.ADDRESS: scheduler.EmulatedScheduler(lambda: self.schedules),
        }
        internet = Internet(neighbours, self.world.outside)
        around = Surroundings(
            self.world.clock, self.world.entropy, http=internet, outward=self._outward(), access=PlainAccess()
        )
        self._google = google_platform(self._settings, around)
        self.documents = cast("documents.SqliteDocuments", Database(self._google.documents))
        self.sealed = cast("documents.SqliteDocuments", Database(self._google.sealed))

    def _build_bus(self) -> None:
        subscriptions = wiring.subscriptions(self.manifest, self.config.base_url)
        parked, topics = ParkedMessages(self._google.dead_letters), wiring.topics(self.manifest)
        self._emulated_bus = EmulatedBus(
            self._google.bus, topics, subscriptions, self._push, parked, self.means
        )
        self.bus = cast("bus.Bus", self._emulated_bus)

    def _callbacks(self) -> str:
        place = f"projects/{self._settings.project}/locations/{self._settings.workflow_location}"
        return f"{CALLBACKS}{place}/callbacks/"

    def _platform(self) -> Platform:
        """Return Google's ports, held to each function's rights as IAM holds them."""
        google = self._google
        return replace(
            google,
            documents=roles.held_to(google.documents, roles.DOCUMENTS),
            sealed=roles.held_to(google.sealed, roles.SEALED),
            bus=roles.HeldBus(google.bus),
            tasks=roles.held_to(google.tasks, roles.TASKS),
            sagas=roles.held_to(google.sagas, roles.SAGAS),
            secrets=cast("Secrets", roles.HeldSecrets(google.secrets)),
            dead_letters=roles.held_to(google.dead_letters, roles.DEAD_LETTERS),
            executions=roles.held_to(LocalExecutions(self.sagas), roles.EXECUTIONS),
            schedules=roles.held_to(google.schedules, roles.SCHEDULES),
            objects=roles.held_to(google.objects, roles.OBJECTS),
            nudges=roles.held_to(google.nudges, roles.NUDGES),
            log=self.world.log,
            sign_in=self.people.sign_in(self.config.base_url),
            sandbox=self.config.sample,
            tracing=self.world.tracing,
        )

    def _build_host(self) -> "Host":
        home = TokenChecker(self.identity.issuer, self.world.clock.now)
        front = Front(super()._build_host(), self.config.base_url, home, self._google_tokens)
        return cast("Host", front)

    async def _push(self, spec: SubscriptionSpec, body: bytes) -> int:
        self.means.faults.reach("before-push")
        outcome = await attempt(self.means.transport, self.means.tokens, spec.target, {}, body)
        self.means.faults.reach("after-push")
        return outcome.status or WRONG


def _settings(config: FleetConfig, project: str, addresses: Mapping[str, str]) -> GoogleSettings:
    environment = {
        "GOOGLE_CLOUD_PROJECT": project,
        "KEYFLEET_REGION": REGION,
        "KEYFLEET_CELL": config.cell,
        "KEYFLEET_KEPT": ",".join(
            f"{each.kept_for}={each.name}" for each in wiring.topics(load_manifest()) if each.kept_for
        ),
    }
    # Functions are served on this machine, where there are no certificates.
    settings = GoogleSettings.from_environment(environment)
    return replace(settings, base_url=config.base_url, emulators=addresses)


@asynccontextmanager
async def open_emulated(config: FleetConfig, world: World | None = None) -> AsyncIterator[Fleet]:
    """Run a fleet on the emulators for a while."""
    with ExitStack() as stack:
        fleet = EmulatedFleet(config, world or World.of(config), load_manifest(), addresses_of(stack))
        await fleet.start()
        try:
            yield fleet
        finally:
            await fleet.stop()

"""Google Cloud around the fleet: emulators and fakes of its services, and the functions that run on them."""

from contextlib import AsyncExitStack

from infra.emulated.executions import FakeExecutions
from infra.emulated.serving import serving
from infra.local.ambient import SystemClock
from infra.local.fleet import NOBODY
from infra.local.host.functions import load_functions
from infra.local.wiring import workflow_sources
from infra.local.world import FleetConfig
from infra.manifest.load import load_manifest
from shared.runtime.google import Surroundings, google_platform
from shared.runtime.platform import deployed
from shared.vendor_kit.http import ConnectionFailed
from tests.contract.platform.internet import CALLBACKS, Internet
from tests.contract.platform.post import Post
from tests.contract.sagas.ground import Ground
from tests.contract.sagas.waker import Waker
from tests.emulators.fakes.kms import FakeKms
from tests.emulators.fakes.secrets import FakeSecretManager
from tests.emulators.fakes.tasks import FakeCloudTasks
from tests.emulators.firestore import Shelves
from tests.emulators.google import settings
from tests.emulators.turnpike import Turnpike


class PlainAccess:
    """An access token that can be read."""

    async def token(self):
        return "access-token"


class NobodyOutside:
    """The addresses that tenants name: nobody lives there."""

    async def send(self, call):
        """Reach nobody."""
        raise ConnectionFailed("nobody lives there")

    async def close(self):
        """Nothing is open."""


class OneEach:
    """Each function's own platform, as in a process of its own: what one remembers no other knows."""

    def __init__(self, make):
        self._make, self._made = make, {}

    def __getattr__(self, port):
        function = deployed.get(NOBODY)
        if function.name not in self._made:
            self._made[function.name] = self._make()
        return getattr(self._made[function.name], port)


class Cloud:
    """Google's services around the fleet's functions."""

    def __init__(self, folder, clock=None):
        self.clock, self.waker = clock or SystemClock(), Waker(folder)
        self.tasks, self.kms, self.secrets = FakeCloudTasks(), FakeKms(), FakeSecretManager()
        self.executions = FakeExecutions(lambda: self.waker.process.sagas)
        self.manifest = load_manifest()
        self._stack, self._folder = AsyncExitStack(), folder

    async def open(self, firestore, pubsub=""):
        """Begin; without an emulator of Pub/Sub nothing is published."""
        self.firestore = Turnpike(firestore)
        self._stack.push_async_callback(self.firestore.close)
        fakes = {
            "firestore": self.firestore,
            "tasks": self.tasks,
            "kms": self.kms,
            "secrets": self.secrets,
            "executions": self.executions,
        }
        addresses = {
            name: await self._stack.enter_async_context(serving(fake)) for name, fake in fakes.items()
        }
        self.settings = settings(pubsub=pubsub, **addresses)
        self._look_around(firestore)
        self.tasks.create_queues(self.clock, [self._queue("probe-reply")])
        await self._begin_workflows()
        if pubsub:
            self.post = Post(self.settings, self.internet, pubsub)
            await self._stack.enter_async_context(self.post.opened(self.manifest))

    async def close(self):
        await self.waker.end()
        await self.internet.close()
        await self._stack.aclose()

    def _look_around(self, firestore):
        self.functions = load_functions(self.manifest, self.settings.base_url)
        self.internet = Internet(self.settings, self.clock, self.functions)
        self.internet.neighbours[CALLBACKS] = self.waker
        around = Surroundings(self.clock, http=self.internet, access=PlainAccess(), outward=NobodyOutside())
        self.platform = OneEach(lambda: google_platform(self.settings, around))
        self.shelves = Shelves(firestore, self.settings)
        self._stack.push_async_callback(self.shelves.close)

    async def _begin_workflows(self):
        # A saga rests for real seconds before it tries again: here for a moment.
        sources = {
            name: source.replace("initial_delay: 5,", "initial_delay: 0.1,")
            for name, source in workflow_sources(FleetConfig(self._folder).workflows).items()
        }
        self.waker.ground = Ground(
            self._folder, self.clock, sources, script=self.internet, base=self.settings.base_url
        )
        await self.waker.begin()

    def _queue(self, name):
        return f"projects/{self.settings.project}/locations/europe-west6/queues/{name}"

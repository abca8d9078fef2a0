"""Google's side of a contract suite: the clients on an emulator or fake, in a project of the test's own."""

import itertools
import os

from infra.local.ambient import SeededEntropy
from shared.gcp.clients import Clients
from shared.gcp.settings import EMULATED, GoogleSettings
from tests.contract.embedded import ManualClock

_projects = itertools.count(1)


def settings(**emulators):
    """Return settings that send these services to these addresses."""
    environment = {
        "GOOGLE_CLOUD_PROJECT": f"hotel-{os.getpid()}-{next(_projects)}",
        "KEYFLEET_REGION": "europe-west6",
        **{EMULATED[service]: address for service, address in emulators.items()},
    }
    return GoogleSettings.from_environment(environment)


class OnGoogle:
    """The implementation under test on Google's clients: `make` builds it, after each opening."""

    def __init__(self, make, **emulators):
        self._make, self.settings = make, settings(**emulators)
        self.clock, self.entropy = ManualClock(), SeededEntropy(7)
        self.subject = None

    async def open(self):
        self.clients = Clients(self.settings)
        self.subject = await self._make(self)

    async def close(self):
        await self.clients.close()

    async def reopen(self):
        """End, and begin again as a new instance does: nothing is left but what Google keeps."""
        await self.close()
        await self.open()

    async def __aenter__(self):
        await self.open()
        return self

    async def __aexit__(self, *_):
        await self.close()

"""Both platforms for one test: the embedded cloud, and Google's emulators where they are installed.

`@on_both` gives a test the parameter `cloud`, and `opened_on(cloud, config, world)` is then `open_fleet` of
either. Google's half is for the soak: its emulators take a core for themselves.
"""

from contextlib import ExitStack, asynccontextmanager

import pytest

from infra.cli.cloud import Cloud, opener_of
from infra.emulated.topics import Administrator
from tests.emulators.installed import FIRESTORE, PUBSUB, running

CLOUDS = [Cloud.EMBEDDED, pytest.param(Cloud.GOOGLE, marks=pytest.mark.soak)]
on_both = pytest.mark.parametrize("cloud", CLOUDS)


@asynccontextmanager
async def opened_on(cloud, config, world=None):
    """Run a fleet on a platform for a while; skip what needs an emulator that is not installed."""
    with ExitStack() as stack:
        pubsub = emulators(cloud, stack).get("pubsub")
        async with opener_of(cloud)(config, world) as fleet:
            yield fleet
        if pubsub:
            await let_go(pubsub, fleet.project)


async def let_go(address, project):
    """Take every subscription of a project away: the emulator polls each for ever."""
    await Administrator(address, project).clear()


def emulators(cloud, stack):
    """Use what a platform needs of this machine until the stack is closed; skip where it is not there."""
    if cloud is Cloud.EMBEDDED:
        return {}
    return {
        "firestore": stack.enter_context(running(FIRESTORE)),
        "pubsub": stack.enter_context(running(PUBSUB)),
    }

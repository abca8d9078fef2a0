"""What a cell keeps of its own: the keys of its indexes, who is on the way to it, and how its probes fare."""

import base64
from types import SimpleNamespace

from nacl.public import PrivateKey

from infra.local.arrival import KEY as INVITED
from infra.local.arrival import Arrival
from shared.domain.ids import TenantId
from shared.domain.secret import Secret
from shared.gcp.index_keys import INDEX_KEYS, OURSELVES, IndexKeys
from shared.gcp.keyring import Wrapped
from shared.ports.documents import Ref
from shared.usecases.upkeep.probe_platform import PLATFORM, HandOver, count_visit, hand_over, reply
from tests.support.by_hand.world import Kind

NEW = TenantId("tnt_new")
"""A company that is not here yet."""
SEALED_FOR = "7p1dCVpd3YKNOgBm/wVnUYET4pPEtgq734OpsuDWTgM="
INDEX_KEY = "38b4e652e44da7f2370d9e260e27136550a4a3a6d07f5c0c332f8b1224083fd2"


class Ring:
    """A key ring that wraps by turning keys around."""

    async def wrap(self, _, material):
        return Wrapped(1, material.reveal()[::-1])

    async def unwrap(self, _, wrapped):
        return Secret(wrapped.data[::-1])


async def index_keys(world):
    keys = await IndexKeys(Ring(), world.sealed, world.clock, world.entropy).of("guest-contact")
    return [each.reveal().hex() for each in keys]


def arriving(world):
    return Arrival(NEW, world)


async def invited(world):
    """Return what a move is sealed for, and whether what opens it is kept beside."""
    key = (await arriving(world).invited())["key"]
    opens = PrivateKey((await arriving(world)._key()).reveal()).public_key
    return key, base64.b64encode(bytes(opens)).decode() == key


async def handed_over(world):
    async def enqueue(_):
        return None

    tasks = SimpleNamespace(enqueue=enqueue)
    ports = {"sealed": world.sealed, "cipher": world.cipher, "tasks": tasks, "clock": world.clock}
    await hand_over(HandOver("1", "https://saga.example/1"), **ports)


async def woken(world):
    called = []

    async def call_back(url, _):
        called.append(url)

    await reply(world.sealed, world.cipher, SimpleNamespace(call_back=call_back), "1")
    return called


def visited(world):
    return count_visit(world.documents, world.clock, "1", "execution-1")


KINDS = {
    ("arrivals", "invited"): Kind(
        ref=INVITED, write=invited, read=invited, means=(SEALED_FOR, True), tenant=NEW, sealed=True
    ),
    ("index_keys", "the first"): Kind(
        ref=Ref(INDEX_KEYS, "guest-contact.1"),
        write=index_keys,
        read=index_keys,
        means=[INDEX_KEY],
        tenant=OURSELVES,
        sealed=True,
    ),
    ("probes", "visited"): Kind(
        ref=Ref("probes", "1"), write=visited, read=visited, means=2, again=visited, tenant=PLATFORM
    ),
    ("probe_callbacks", "waiting"): Kind(
        ref=Ref("probe_callbacks", "1"),
        write=handed_over,
        read=woken,
        means=["https://saga.example/1"],
        tenant=PLATFORM,
        sealed=True,
    ),
}

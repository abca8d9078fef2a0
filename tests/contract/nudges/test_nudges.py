"""Nudges keep their promises: in one process, and through Firestore between machines."""

import asyncio
from contextlib import asynccontextmanager
from types import SimpleNamespace

import pytest

from infra.local.nudges import LocalBell, LocalNudges
from shared.gcp.documents.connection import Connection
from shared.gcp.documents.names import Place
from shared.gcp.nudges import FirestoreNudges
from shared.ports.trouble import ServiceTrouble
from tests.contract.nudges import suite
from tests.contract.nudges.suite import SILK, SOON, NudgesContract
from tests.emulators.google import OnGoogle


def locally(kind):
    nudges = kind()
    return SimpleNamespace(subject=nudges, elsewhere=nudges)


class TestLocalNudges(NudgesContract):
    """Nudges within one process."""

    @pytest.fixture
    async def setting(self):
        return locally(LocalNudges)


def test_a_desk_that_nobody_listens_for_any_more_takes_no_room():
    nudges = LocalNudges()

    async def listened():
        async with nudges.listen(SILK, "dev_1"), nudges.listen(SILK, "dev_1"):
            assert len(nudges._bells) == 1
        assert nudges._bells == {}

    asyncio.run(listened())


async def firestore_nudges(google):
    place = Place(google.settings.project, google.settings.main_database)
    return FirestoreNudges(Connection(google.clients.of("firestore"), place), google.clock, google.entropy)


class Machines(OnGoogle):
    """Two machines, each with a client of its own."""

    async def open(self):
        await super().open()
        self._far = OnGoogle(firestore_nudges)
        self._far.settings = self.settings
        await self._far.open()
        self.elsewhere = self._far.subject

    async def close(self):
        await self._far.close()
        await super().close()


@pytest.fixture
async def setting(firestore_emulator):
    async with Machines(firestore_nudges, firestore=firestore_emulator) as setting:
        yield setting


class TestFirestoreNudges(NudgesContract):
    """Nudges through Firestore."""


async def test_a_stream_that_breaks_is_opened_again_and_rings_for_what_may_have_been_missed(setting):
    async with setting.subject.listen(SILK, "dev_1") as bell:
        await setting.clients.close()  # the channel is gone; the next stream gets another
        assert await bell.heard(SOON)
        await asyncio.sleep(1)
        await bell.heard(0.1)
        await setting.elsewhere.ring(SILK, "dev_1")
        assert await bell.heard(SOON)


async def test_who_cannot_listen_at_all_is_told_so(monkeypatch):
    monkeypatch.setattr("shared.gcp.nudges.OPENS_WITHIN", 0.3)
    async with OnGoogle(firestore_nudges, firestore="127.0.0.1:9") as google:
        with pytest.raises(ServiceTrouble, match="does not let us listen"):
            async with google.subject.listen(SILK, "dev_1"):
                pass


class Deaf(LocalNudges):
    """Never rings."""

    async def ring(self, tenant, desk):
        """Do nothing."""


class Forgetful(LocalNudges):
    """Rings only who waits at that moment."""

    @asynccontextmanager
    async def listen(self, tenant, desk):
        async with super().listen(tenant, desk) as bell:
            heard = bell.heard

            async def from_now_on(within):
                bell._rung.clear()
                return await heard(within)

            bell.heard = from_now_on
            yield bell


class Stuck(LocalNudges):
    """Goes on ringing."""

    @asynccontextmanager
    async def listen(self, tenant, desk):
        async with super().listen(tenant, desk) as bell:
            bell._rung.clear = lambda: None
            yield bell


class Everywhere(LocalNudges):
    """Rings at every desk."""

    async def ring(self, tenant, desk):
        for bells in self._bells.values():
            for bell in bells:
                bell.ring()


class First(LocalNudges):
    """Rings whoever came first."""

    async def ring(self, tenant, desk):
        for bell in self._bells.get((tenant, desk), ())[:1]:
            bell.ring()


class Echoing(LocalNudges):
    """Rings newcomers for what was before them."""

    def __init__(self):
        super().__init__()
        self._rang = set()

    async def ring(self, tenant, desk):
        self._rang.add((tenant, desk))
        await super().ring(tenant, desk)

    @asynccontextmanager
    async def listen(self, tenant, desk):
        async with super().listen(tenant, desk) as bell:
            if (tenant, desk) in self._rang:
                bell.ring()
            yield bell


BROKEN = {
    "deaf": (Deaf, "test_a_ring_is_heard"),
    "forgetful": (Forgetful, "test_a_ring_between_two_waits_is_not_missed"),
    "stuck": (Stuck, "test_a_ring_is_heard_once"),
    "everywhere": (Everywhere, "test_a_ring_is_for_one_desk_of_one_tenant"),
    "first": (First, "test_everybody_who_listens_hears_it"),
    "echoing": (Echoing, "test_what_rang_before_somebody_listened_is_not_heard"),
}


@pytest.mark.parametrize(("kind", "guarantee"), BROKEN.values(), ids=list(BROKEN))
async def test_broken_nudges_fail_their_guarantee(monkeypatch, kind, guarantee):
    monkeypatch.setattr(suite, "SOON", 0.2)
    monkeypatch.setattr(LocalBell, "__slots__", (), raising=False)
    with pytest.raises(AssertionError):
        await getattr(NudgesContract(), guarantee)(locally(kind))

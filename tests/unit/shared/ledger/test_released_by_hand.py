"""What modules write field by field is read as a release wrote it, and as a newer one will write it.

`released/<collection>.v<version>.json` holds them as the code of that version wrote them, by its own words.
"""

import json
from pathlib import Path

import pytest

from infra.local.ambient import SeededEntropy
from shared.vendor_kit.relay_notes import RelayNotes
from tests.support.by_hand.every import COLLECTIONS, KINDS
from tests.support.by_hand.world import HOTEL, PUT, SILK, World

RELEASED = Path(__file__).parent / "released"
NEWER = {"of_tomorrow": {"a": 1}}
FORMER = {("vendor_gateways", 1): {"of a property"}}
"""Documents of versions that nobody writes any more, and that are read below, each by itself."""


def documents(collection, version=None):
    """Return the documents of a collection as a version, or the newest, wrote them."""
    versions = sorted(int(file.stem.partition(".v")[2]) for file in RELEASED.glob(f"{collection}.v*.json"))
    return json.loads((RELEASED / f"{collection}.v{version or versions[-1]}.json").read_text())


@pytest.fixture(params=KINDS, ids=" ".join)
def named(request):
    """One kind, and the document that the last release wrote."""
    collection, name = request.param
    return KINDS[request.param], documents(collection)[name]


async def having(kind, document):
    """Return a world in which a document is kept, and in which chance would not make it again."""
    world = World()
    if kind.beside is not None:
        await kind.beside(world)
    world.entropy = SeededEntropy(8)
    world.put(kind.tenant, kind.ref, document, sealed=kind.sealed)
    return world


async def test_the_code_writes_what_its_last_release_wrote_and_perhaps_more(named):
    kind, document = named
    world = World()
    await kind.write(world)
    assert json.loads(json.dumps(kind.found(world).data)).items() >= document.items()


async def test_a_released_document_is_read(named):
    kind, document = named
    assert await kind.read(await having(kind, document)) == kind.means


async def test_one_with_a_field_of_a_newer_release_is_read_alike(named):
    kind, document = named
    assert await kind.read(await having(kind, document | NEWER)) == kind.means


async def test_one_with_a_field_of_a_newer_release_keeps_it_unless_it_is_replaced_whole(named):
    kind, document = named
    if kind.again is None:
        assert not kind.whole
        return
    world = await having(kind, document | NEWER)
    await kind.again(world)
    assert kind.found(world).version != PUT
    assert ("of_tomorrow" in kind.found(world).data) is not bool(kind.whole)


async def test_relays_that_were_noted_without_a_time_are_asked_for_anew():
    world, (document,) = World(), documents("vendor_gateways", 1).values()
    notes = RelayNotes(world.silk, "ttlock", HOTEL)
    world.put(SILK, notes._ref, document)
    assert await notes.read() == {}


def test_every_released_document_of_these_kinds_is_read_here():
    files = {file.stem for each in COLLECTIONS for file in RELEASED.glob(f"{each}.v*.json")}
    found = {(file, name) for file in files for name in documents(*file.split(".v"))}
    former = {(f"{each}.v{version}", name) for (each, version), names in FORMER.items() for name in names}
    newest = {(f"{each}.v{documents(each)[name].get('schema_version', 1)}", name) for each, name in KINDS}
    assert found == former | newest

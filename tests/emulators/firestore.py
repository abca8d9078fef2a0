"""The document stores of a test on Firestore, and what can go wrong on the way to it."""

from dataclasses import replace

import orjson

from shared.gcp.clients import Clients
from shared.gcp.documents import FirestoreDocuments
from shared.gcp.documents.form import BODY
from shared.gcp.documents.names import Place


def firestore_store(google, database, indexes=(), connect=None):
    """Build the store of one database."""
    place = Place(google.settings.project, database)
    return FirestoreDocuments(
        connect or google.clients.of("firestore"), place, google.clock, google.entropy, lambda: indexes
    )


class LosesAnswers:
    """A client that commits, loses the answer, and hands on what a repetition is told."""

    def __init__(self, client):
        self._client = client

    def __getattr__(self, name):
        return getattr(self._client, name)

    async def commit(self, request, **options):
        await self._client.commit(request, **options)
        return await self._client.commit(request, **options)


class Shelves:
    """Everything that a tenant has in Firestore, listed past our store: for the eyes of tests."""

    def __init__(self, address, google):
        self._clients = Clients(replace(google, emulators={"firestore": address}))
        self._project = google.project

    async def all_of(self, tenant, collection, database):
        """Return the documents of a collection by id."""
        parent = Place(self._project, database).tenant(tenant)
        request = {"parent": parent, "collection_id": collection, "page_size": 300}
        listed = await self._clients.of("firestore")().list_documents(request)
        return {
            each.name.rpartition("/")[2]: orjson.loads(each.fields[BODY].string_value)
            async for each in listed
        }

    async def close(self):
        """Hang up."""
        await self._clients.close()

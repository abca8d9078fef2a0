"""The document stores of a test on Firestore, and what can go wrong on the way to it."""

from shared.gcp.documents import FirestoreDocuments
from shared.gcp.documents.names import Place


def firestore_store(google, database, indexes=(), connect=None):
    """Build the store of one database."""
    place = Place(google.settings.project, database)
    return FirestoreDocuments(
        connect or google.clients.of("firestore"), place, google.clock, google.entropy, indexes
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

"""A read that finds no index or no answer is asked again; it never hangs for minutes."""

import pytest
from google.api_core import exceptions

from shared.gcp.documents.connection import READ_SECONDS, Connection
from shared.gcp.documents.names import Place
from shared.gcp.documents.queries import Query
from shared.ports.documents import Index
from shared.ports.trouble import ServiceTrouble

NOT_READY = exceptions.FailedPrecondition("The query requires an index. You can create it here: https://…")
NO_DATABASE = exceptions.NotFound("The database keyfleet does not exist")
TOO_MUCH = exceptions.ResourceExhausted("Quota exceeded.")


class Client:
    """A client whose reads end in an error."""

    def __init__(self, error):
        self.error, self.patience = error, []

    async def batch_get_documents(self, _request, **options):
        self.patience.append(options["timeout"])
        raise self.error

    async def run_query(self, _request, **options):
        self.patience.append(options["timeout"])
        raise self.error


def connection(client):
    return Connection(lambda: client, Place("hotel", "keyfleet"))


async def queried(client):
    query = Query(Index("credentials", (), "due_at", swept=True), {}, None)
    async for _ in connection(client).pages("projects/hotel/databases/keyfleet/documents", query, 10):
        pass


@pytest.mark.parametrize(
    ("error", "said"), [(NOT_READY, "no index"), (NO_DATABASE, "no such database"), (TOO_MUCH, "in trouble")]
)
@pytest.mark.parametrize("read", ["get", "query"])
async def test_what_is_not_there_yet_is_asked_for_again(read, error, said):
    client = Client(error)
    with pytest.raises(ServiceTrouble, match=said) as told:
        await (connection(client).get("name") if read == "get" else queried(client))
    assert "https" not in str(told.value)


async def test_a_read_gives_up_in_seconds():
    client = Client(exceptions.DeadlineExceeded("late"))
    with pytest.raises(ServiceTrouble):
        await connection(client).get("name")
    assert client.patience == [READ_SECONDS]
    assert READ_SECONDS <= 10

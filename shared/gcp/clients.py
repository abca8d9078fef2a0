"""Google's clients: imported and connected when a port first needs one, and kept."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from shared.gcp.access import SCOPES
from shared.gcp.settings import GoogleSettings
from shared.gcp.trouble import Troubled

LARGE: Final = (("grpc.max_send_message_length", -1), ("grpc.max_receive_message_length", -1))
AWAKE: Final = (("grpc.keepalive_time_ms", 30_000), ("grpc.keepalive_timeout_ms", 5_000))
"""A connection that died while an instance slept is found dead in seconds, and not by a call that hangs."""
Connect = Callable[[], Any]
"""Returns the client; the first call imports and connects it."""


class Clients:
    """The client of each service, one per process.

    They are the generated asyncio clients throughout. The hand-written ones on top cost more to start and
    bring what we do not want: publishing from a background thread, for which a function's CPU does not wait,
    and transactions that read before they write.
    """

    def __init__(self, settings: GoogleSettings) -> None:
        self._settings = settings
        self._kept: dict[str, Any] = {}
        self._credentials: Any = None

    def of(self, service: str) -> Connect:
        """Return how to get at a service's client."""
        return lambda: self._kept.get(service) or self._kept.setdefault(service, self._connected(service))

    async def close(self) -> None:
        """Close what was opened."""
        while self._kept:
            _, client = self._kept.popitem()
            await client.transport.close()

    def _connected(self, service: str) -> Troubled:
        return Troubled(self._made(service), service)

    def _made(self, service: str) -> Any:
        client_class = CLASSES[service]()
        if address := self._settings.emulators.get(service):
            return client_class(transport=_insecure(client_class, address))
        return client_class(transport=self._transport(client_class, service))

    def _transport(self, client_class: Any, service: str) -> Any:
        if self._credentials is None:
            # Found once for all: each client would ask the metadata server for itself, and hold the loop.
            self._credentials = _own_credentials()
        transport = client_class.get_transport_class("grpc_asyncio")
        host = _endpoint(service, self._settings) or client_class.DEFAULT_ENDPOINT
        channel = transport.create_channel(host, credentials=self._credentials, options=[*LARGE, *AWAKE])
        return transport(host=host, channel=channel)


def _own_credentials() -> Any:
    import google.auth

    credentials, _ = google.auth.default(scopes=SCOPES)
    return credentials


def _insecure(client_class: Any, address: str) -> Any:
    from grpc.aio import insecure_channel

    transport = client_class.get_transport_class("grpc_asyncio")
    return transport(channel=insecure_channel(address, options=LARGE))


def _endpoint(service: str, settings: GoogleSettings) -> str:
    # Pub/Sub keeps the order of a key only among messages that were published in one region.
    regional = service in ("pubsub", "subscriber")
    return f"{settings.region}-pubsub.googleapis.com" if regional else ""


def _firestore() -> Any:
    from google.cloud.firestore_v1.services.firestore import FirestoreAsyncClient

    return FirestoreAsyncClient


def _pubsub() -> Any:
    from google.pubsub_v1.services.publisher import PublisherAsyncClient

    return PublisherAsyncClient


def _subscriber() -> Any:
    from google.pubsub_v1.services.subscriber import SubscriberAsyncClient

    return SubscriberAsyncClient


def _tasks() -> Any:
    from google.cloud.tasks_v2.services.cloud_tasks import CloudTasksAsyncClient

    return CloudTasksAsyncClient


def _executions() -> Any:
    from google.cloud.workflows.executions_v1.services.executions import ExecutionsAsyncClient

    return ExecutionsAsyncClient


def _secrets() -> Any:
    from google.cloud.secretmanager_v1.services.secret_manager_service import SecretManagerServiceAsyncClient

    return SecretManagerServiceAsyncClient


def _kms() -> Any:
    from google.cloud.kms_v1.services.key_management_service import KeyManagementServiceAsyncClient

    return KeyManagementServiceAsyncClient


CLASSES: Final[Mapping[str, Callable[[], Any]]] = {
    "firestore": _firestore,
    "pubsub": _pubsub,
    "subscriber": _subscriber,
    "tasks": _tasks,
    "executions": _executions,
    "secrets": _secrets,
    "kms": _kms,
}

"""Google's clients: imported and connected when a port first needs one, and kept."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from shared.gcp.settings import GoogleSettings
from shared.gcp.trouble import Troubled

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
        if endpoint := _endpoint(service, self._settings):
            return client_class(client_options={"api_endpoint": endpoint})
        return client_class()


def _insecure(client_class: Any, address: str) -> Any:
    from grpc.aio import insecure_channel

    options = [("grpc.max_send_message_length", -1), ("grpc.max_receive_message_length", -1)]
    transport = client_class.get_transport_class("grpc_asyncio")
    return transport(channel=insecure_channel(address, options=options))


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

"""The ports on Google Cloud, one method each: its code is loaded when it is first asked anything.

A function loads the ports that it uses, and whoever is refused at its door none.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from shared.gcp.clients import Clients
from shared.gcp.settings import GoogleSettings
from shared.kernel.log import Log
from shared.ports.ambient import Clock, Entropy, Ids

if TYPE_CHECKING:
    from shared.gcp.access import AccessTokens
    from shared.gcp.bus import PubSubBus
    from shared.gcp.cipher import KmsCipher
    from shared.gcp.dead_letters import PubSubDeadLetters
    from shared.gcp.documents.store import FirestoreDocuments, Indexes
    from shared.gcp.executions import ExecutionRecords
    from shared.gcp.nudges import FirestoreNudges
    from shared.gcp.objects import CloudStorage
    from shared.gcp.rest import Rest
    from shared.gcp.sagas import WorkflowExecutions
    from shared.gcp.schedules import CloudScheduler
    from shared.gcp.secrets import SecretManager
    from shared.gcp.tasks import CloudTasks
    from shared.kernel.people import SignIn
    from shared.ports.documents import Index
    from shared.vendor_kit.guard import Guards
    from shared.vendor_kit.http import Http
    from shared.vendor_kit.leases import DocumentLeases


def declared() -> "Sequence[Index]":
    """Return every query that is asked; it is the ledger that says so, and it is large."""
    from shared.runtime.indexes import INDEXES

    return INDEXES


class Later:
    """A part of the platform that is made when it is first used."""

    __slots__ = ("_made", "_port", "_ports")

    def __init__(self, ports: "GooglePorts", port: str) -> None:
        self._ports, self._port, self._made = ports, port, None

    def __getattr__(self, name: str) -> Any:
        if self._made is None:
            self._made = getattr(self._ports, self._port)()
        return getattr(self._made, name)


@dataclass(frozen=True, slots=True)
class GooglePorts:
    """What the ports are made of. Where one stands on another, it stands on the platform's."""

    settings: GoogleSettings
    clients: Clients
    clock: Clock
    entropy: Entropy
    ids: Ids
    log: Log
    http: "Http"
    access: "AccessTokens"
    indexes: "Indexes"
    _parts: dict[str, Later] = field(default_factory=dict)

    def later(self, port: str) -> Any:
        """Return what stands for a port until it is used: one for all who ask."""
        return self._parts.setdefault(port, Later(self, port))

    def documents(self) -> "FirestoreDocuments":
        """Return the database of everything but what is sealed."""
        return self._database(self.settings.main_database)

    def sealed(self) -> "FirestoreDocuments":
        """Return the database of what is sealed."""
        return self._database(self.settings.sealed_database)

    def _database(self, name: str) -> "FirestoreDocuments":
        from shared.gcp.documents import FirestoreDocuments
        from shared.gcp.documents.names import Place

        place = Place(self.settings.project, name)
        return FirestoreDocuments(self.clients.of("firestore"), place, self.clock, self.entropy, self.indexes)

    def bus(self) -> "PubSubBus":
        """Return Pub/Sub."""
        from shared.gcp.bus import PubSubBus

        return PubSubBus(self.clients.of("pubsub"), self.settings.project)

    def tasks(self) -> "CloudTasks":
        """Return Cloud Tasks."""
        from shared.gcp.tasks import CloudTasks

        return CloudTasks(self.clients.of("tasks"), self.settings, self.clock)

    def sagas(self) -> "WorkflowExecutions":
        """Return Workflows."""
        from shared.gcp.sagas import WorkflowExecutions

        return WorkflowExecutions(self.clients.of("executions"), self.settings, self.http, self.access)

    def secrets(self) -> "SecretManager":
        """Return Secret Manager."""
        from shared.gcp.secrets import SecretManager

        return SecretManager(self.clients.of("secrets"), self.settings, self.clock)

    def cipher(self) -> "KmsCipher":
        """Return what seals by keys of Cloud KMS."""
        from shared.gcp.cipher import KmsCipher
        from shared.gcp.keyring import KeyRing
        from shared.runtime.platform import this_function

        ring, sealed = KeyRing(self.clients.of("kms"), self.settings), self.later("sealed")
        return KmsCipher(ring, sealed, self.clock, self.entropy, lambda: this_function().opens)

    def leases(self) -> "DocumentLeases":
        """Return the turns at what takes one at a time."""
        from shared.vendor_kit.leases import DocumentLeases

        return DocumentLeases(self.later("documents"), self.clock)

    def guards(self) -> "Guards":
        """Return what spares vendors."""
        from shared.vendor_kit.guard import Guards, Shared

        shared = Shared(self.later("documents"), self.entropy, self.later("bus"), self.ids)
        return Guards(self.clock, self.log, shared)

    def dead_letters(self) -> "PubSubDeadLetters":
        """Return what was set aside on Pub/Sub."""
        from shared.gcp.dead_letters import PubSubDeadLetters

        return PubSubDeadLetters(self.clients.of("subscriber"), self.later("bus"), self.settings)

    def executions(self) -> "ExecutionRecords":
        """Return what Workflows knows of executions."""
        from shared.gcp.executions import ExecutionRecords

        return ExecutionRecords(self.clients.of("executions"), self._rest("workflows"), self.settings)

    def schedules(self) -> "CloudScheduler":
        """Return Cloud Scheduler."""
        from shared.gcp.schedules import CloudScheduler

        return CloudScheduler(self._rest("scheduler"), self.settings)

    def objects(self) -> "CloudStorage":
        """Return the bucket of records."""
        from shared.gcp.objects import CloudStorage

        return CloudStorage(self._rest("storage"), self.settings.records_bucket)

    def nudges(self) -> "FirestoreNudges":
        """Return the bells of desktops."""
        from shared.gcp.documents.connection import Connection
        from shared.gcp.documents.names import Place
        from shared.gcp.nudges import FirestoreNudges

        place = Place(self.settings.project, self.settings.main_database)
        return FirestoreNudges(Connection(self.clients.of("firestore"), place), self.clock, self.entropy)

    def sign_in(self) -> "SignIn":
        """Return how people sign in: Google's own issuers name services alone."""
        from shared.gcp.identity import ISSUERS
        from shared.kernel.people import SignIn

        return SignIn(self.settings.base_url, services=ISSUERS)

    def _rest(self, service: str) -> "Rest":
        from shared.gcp.rest import Rest

        return Rest(self.http, self.access, service)

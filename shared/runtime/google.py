"""The platform on Google Cloud: every port by the settings of the environment, connected when first used."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from shared.domain.errors import InvalidInput
from shared.gcp.access import AccessTokens, OwnIdentity
from shared.gcp.bus import PubSubBus
from shared.gcp.cipher import KmsCipher
from shared.gcp.clients import Clients
from shared.gcp.dead_letters import PubSubDeadLetters
from shared.gcp.documents import FirestoreDocuments
from shared.gcp.documents.connection import Connection
from shared.gcp.documents.names import Place
from shared.gcp.executions import ExecutionRecords
from shared.gcp.identity import ISSUERS, google_issuer
from shared.gcp.keyring import KeyRing
from shared.gcp.nudges import FirestoreNudges
from shared.gcp.objects import CloudStorage
from shared.gcp.rest import Rest
from shared.gcp.sagas import WorkflowExecutions
from shared.gcp.schedules import CloudScheduler
from shared.gcp.secrets import SecretManager
from shared.gcp.settings import IAM, GoogleSettings
from shared.gcp.tasks import CloudTasks
from shared.kernel.ambient import SystemClock, SystemEntropy
from shared.kernel.identity import TokenChecker
from shared.kernel.ids import DrawnIds
from shared.kernel.log import Log
from shared.kernel.people import SignIn
from shared.ports.ambient import Clock, Entropy
from shared.ports.documents import Index
from shared.runtime.indexes import INDEXES
from shared.runtime.platform import ALLOWED_SECONDS, Deployed, Platform, PlatformUnbound, this_function
from shared.vendor_kit.guard import Guards, Shared
from shared.vendor_kit.http import LARGEST_WORD, Http, HttpClient
from shared.vendor_kit.leases import DocumentLeases


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the platform takes from the machine it runs on."""

    clock: Clock = field(default_factory=SystemClock)
    entropy: Entropy = field(default_factory=SystemEntropy)
    http: Http = field(default_factory=lambda: HttpClient(public_only=True))
    outward: Http = field(default_factory=lambda: HttpClient(32, LARGEST_WORD, public_only=True))
    access: AccessTokens = field(default_factory=OwnIdentity)


def google_platform(
    settings: GoogleSettings, around: Surroundings, indexes: Sequence[Index] = INDEXES
) -> Platform:
    """Return every port on Google Cloud; nothing of Google is imported before a port is used."""
    clock, entropy, http = around.clock, around.entropy, around.http
    clients, log = Clients(settings), Log("keyfleet", project=settings.project)
    main, sealed = (
        FirestoreDocuments(clients.of("firestore"), Place(settings.project, name), clock, entropy, indexes)
        for name in (settings.main_database, settings.sealed_database)
    )
    bus, ids = PubSubBus(clients.of("pubsub"), settings.project), DrawnIds(clock.now, entropy.token)
    place = Place(settings.project, settings.main_database)
    rest, ring = partial(Rest, http, around.access), KeyRing(clients.of("kms"), settings)
    return Platform(
        cell=settings.cell,
        documents=main,
        sealed=sealed,
        bus=bus,
        tasks=CloudTasks(clients.of("tasks"), settings, clock),
        sagas=WorkflowExecutions(clients.of("executions"), settings, http, around.access),
        secrets=SecretManager(clients.of("secrets"), settings, clock),
        cipher=KmsCipher(ring, sealed, clock, entropy, lambda: this_function().opens),
        leases=DocumentLeases(main, clock),
        clock=clock,
        entropy=entropy,
        ids=ids,
        tokens=TokenChecker(
            google_issuer(http, clock, settings.email_domain, checked_before=settings.proven_by == IAM),
            clock.now,
        ),
        log=log,
        http=http,
        guards=Guards(clock, log, Shared(main, entropy, bus, ids)),
        dead_letters=PubSubDeadLetters(clients.of("subscriber"), bus, settings),
        executions=ExecutionRecords(clients.of("executions"), rest("workflows"), settings),
        schedules=CloudScheduler(rest("scheduler"), settings),
        objects=CloudStorage(rest("storage"), settings.records_bucket),
        nudges=FirestoreNudges(Connection(clients.of("firestore"), place), clock, entropy),
        outward=around.outward,
        sign_in=SignIn(settings.base_url, services=ISSUERS),
    )


def platform_of_environment(environment: Mapping[str, str]) -> Platform:
    """Return the platform that the environment describes."""
    return google_platform(_settings(environment), Surroundings())


def deployed_of_environment(environment: Mapping[str, str]) -> Deployed:
    """Return the one deployable of this process, as Terraform wrote its descriptor into the environment.

    What is not said is not granted: without callers nobody may call, without purposes nothing may be opened.
    """
    name = environment.get("K_SERVICE") or environment.get("FUNCTION_TARGET", "").replace("_", "-")
    return Deployed(
        name=name,
        audience=environment.get("KEYFLEET_AUDIENCE") or _settings(environment).url_of(name),
        public=environment.get("KEYFLEET_PUBLIC") == "true",
        people=environment.get("KEYFLEET_PEOPLE") == "true",
        callers=frozenset(_listed(environment, "KEYFLEET_CALLERS")),
        opens=frozenset(_listed(environment, "KEYFLEET_OPENS")),
        seals=frozenset(_listed(environment, "KEYFLEET_SEALS")),
        roles=frozenset(_listed(environment, "KEYFLEET_ROLES")),
        secrets=_listed(environment, "KEYFLEET_SECRETS"),
        timeout=float(environment.get("KEYFLEET_TIMEOUT", ALLOWED_SECONDS)),
    )


def _settings(environment: Mapping[str, str]) -> GoogleSettings:
    try:
        return GoogleSettings.from_environment(environment)
    except InvalidInput as problem:
        raise PlatformUnbound(f"Google Cloud is not set up: {problem}") from None


def _listed(environment: Mapping[str, str], variable: str) -> tuple[str, ...]:
    return tuple(name for each in environment.get(variable, "").split(",") if (name := each.strip()))

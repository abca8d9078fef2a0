"""The platform on Google Cloud: every port by the settings of the environment, connected when first used."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from shared.domain.errors import InvalidInput
from shared.gcp.access import AccessTokens, OwnIdentity
from shared.gcp.clients import Clients
from shared.gcp.identity import google_issuer
from shared.gcp.settings import IAM, GoogleSettings
from shared.kernel.ambient import SystemClock, SystemEntropy
from shared.kernel.identity import TokenChecker
from shared.kernel.ids import DrawnIds
from shared.kernel.log import Log
from shared.ports.ambient import Clock, Entropy
from shared.runtime.google_ports import GooglePorts, declared
from shared.runtime.platform import ALLOWED_SECONDS, Deployed, Platform, PlatformUnbound
from shared.runtime.tracing import tracing_of
from shared.vendor_kit.http import LARGEST_WORD, Http, HttpClient

if TYPE_CHECKING:
    from shared.gcp.documents.store import Indexes


PORTS: Final = (
    *("documents", "sealed", "bus", "tasks", "sagas", "secrets", "cipher", "leases", "guards"),
    *("dead_letters", "executions", "schedules", "objects", "nudges", "sign_in"),
)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the platform takes from the machine it runs on."""

    clock: Clock = field(default_factory=SystemClock)
    entropy: Entropy = field(default_factory=SystemEntropy)
    http: Http = field(default_factory=lambda: HttpClient(public_only=True))
    environment: Mapping[str, str] = field(default_factory=dict)
    outward: Http = field(default_factory=lambda: HttpClient(32, LARGEST_WORD, public_only=True))
    access: AccessTokens = field(default_factory=OwnIdentity)


def google_platform(
    settings: GoogleSettings, around: Surroundings, indexes: "Indexes" = declared
) -> Platform:
    """Return every port on Google Cloud; no port is loaded, and nothing of Google's, before it is used."""
    clock, entropy, http = around.clock, around.entropy, around.http
    log, ids = Log("keyfleet", project=settings.project), DrawnIds(clock.now, entropy.token)
    ports = GooglePorts(settings, Clients(settings), clock, entropy, ids, log, http, around.access, indexes)
    issuer = google_issuer(http, clock, settings.email_domain, checked_before=settings.proven_by == IAM)
    return Platform(
        cell=settings.cell,
        clock=clock,
        entropy=entropy,
        ids=ids,
        tokens=TokenChecker(issuer, clock.now),
        log=log,
        http=http,
        outward=around.outward,
        tracing=tracing_of(around.environment, around.http, clock, entropy, around.access),
        **{port: ports.later(port) for port in PORTS},
    )


def platform_of_environment(environment: Mapping[str, str]) -> Platform:
    """Return the platform that the environment describes."""
    return google_platform(_settings(environment), Surroundings(environment=environment))


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
        build=environment.get("KEYFLEET_BUILD", "unnamed"),
    )


def _settings(environment: Mapping[str, str]) -> GoogleSettings:
    try:
        return GoogleSettings.from_environment(environment)
    except InvalidInput as problem:
        raise PlatformUnbound(f"Google Cloud is not set up: {problem}") from None


def _listed(environment: Mapping[str, str], variable: str) -> tuple[str, ...]:
    return tuple(name for each in environment.get(variable, "").split(",") if (name := each.strip()))

"""Where on Google Cloud the fleet lives: read once, from the environment that Terraform sets."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from shared.domain.errors import InvalidInput

EMULATED: Final = {
    "firestore": "FIRESTORE_EMULATOR_HOST",
    "pubsub": "PUBSUB_EMULATOR_HOST",
    "subscriber": "PUBSUB_EMULATOR_HOST",
    "tasks": "CLOUD_TASKS_EMULATOR_HOST",
    "executions": "WORKFLOW_EXECUTIONS_EMULATOR_HOST",
    "secrets": "SECRET_MANAGER_EMULATOR_HOST",
    "kms": "KMS_EMULATOR_HOST",
}
"""The variable that sends a service's client to an emulator instead: Google's own name where there is one."""
DEPLOYED: Final = "K_REVISION"
"""Google sets it on whatever it runs."""
REHEARSED: Final = "KEYFLEET_REHEARSAL"
SIGNATURE, IAM = "signature", "iam"
OPEN_TO_ALL: Final = ("KEYFLEET_PEOPLE", "KEYFLEET_PUBLIC")
_PLAIN: Final = re.compile(r"[a-z][a-z0-9:._-]{0,127}")
_SUBSCRIBED: Final = re.compile(r"[a-z][a-z0-9._-]{2,254}")
_ADDRESS: Final = re.compile(r"[A-Za-z0-9.-]+:\d{1,5}")


@dataclass(frozen=True, slots=True, kw_only=True)
class GoogleSettings:
    """The names of everything the ports talk to."""

    project: str
    region: str
    cell: str
    main_database: str = "keyfleet"
    sealed_database: str = "keyfleet-sealed"
    queue_location: str
    workflow_location: str
    key_location: str
    key_ring: str = "melmastoon-lock"
    email_domain: str
    tasks_account: str = "cloud-tasks"
    base_url: str
    records_bucket: str
    kept: tuple[tuple[str, str], ...] = ()
    """Subscriptions that keep what no function handles yet, each with its topic."""
    emulators: Mapping[str, str] = field(default_factory=dict)
    proven_by: str = SIGNATURE
    """What proves a caller's token: its signature, or Google's own check before us, which removes that."""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> "GoogleSettings":
        """Read the settings, or say which variable is missing or malformed and what to do."""
        project = _name(environment, "GOOGLE_CLOUD_PROJECT")
        region = _name(environment, "KEYFLEET_REGION")
        return cls(
            project=project,
            region=region,
            cell=_name(environment, "KEYFLEET_CELL", region),
            main_database=_name(environment, "KEYFLEET_DATABASE", "keyfleet"),
            sealed_database=_name(environment, "KEYFLEET_SEALED_DATABASE", "keyfleet-sealed"),
            queue_location=_name(environment, "KEYFLEET_QUEUE_LOCATION", region),
            workflow_location=_name(environment, "KEYFLEET_WORKFLOW_LOCATION", region),
            key_location=_name(environment, "KEYFLEET_KEY_LOCATION", region),
            key_ring=_name(environment, "KEYFLEET_KEY_RING", "melmastoon-lock"),
            email_domain=_name(environment, "KEYFLEET_EMAIL_DOMAIN", f"{project}.iam.gserviceaccount.com"),
            tasks_account=_name(environment, "KEYFLEET_TASKS_ACCOUNT", "cloud-tasks"),
            base_url=_base_url(environment, f"https://{region}-{project}.cloudfunctions.net"),
            records_bucket=_name(environment, "KEYFLEET_RECORDS_BUCKET", f"{project}-lock-records"),
            kept=_kept(environment.get("KEYFLEET_KEPT", "")),
            emulators=_emulators(environment),
            proven_by=_proven_by(environment),
        )

    def url_of(self, function: str) -> str:
        """Return a function's address, which is also the audience of tokens for it."""
        return f"{self.base_url}/{function}"

    def email_of(self, account: str) -> str:
        """Return the e-mail address of a service account of the project."""
        return f"{account}@{self.email_domain}"


def _name(environment: Mapping[str, str], variable: str, otherwise: str = "") -> str:
    value = environment.get(variable) or otherwise
    if not value:
        raise InvalidInput(variable, "not set", "Set it in the function's environment: Terraform does")
    if not _PLAIN.fullmatch(value):
        raise InvalidInput(variable, "malformed", "Use small letters, digits and : . _ -")
    return value


def _kept(text: str) -> tuple[tuple[str, str], ...]:
    named = [each.strip().partition("=") for each in text.split(",") if each.strip()]
    if not all(_SUBSCRIBED.fullmatch(name) and _SUBSCRIBED.fullmatch(topic) for name, _, topic in named):
        raise InvalidInput("KEYFLEET_KEPT", "malformed", "List subscription=topic, with commas between")
    return tuple((name, topic) for name, _, topic in named)


def _base_url(environment: Mapping[str, str], otherwise: str) -> str:
    value = environment.get("KEYFLEET_BASE_URL") or otherwise
    if not value.startswith("https://"):
        raise InvalidInput("KEYFLEET_BASE_URL", "not an https address", "Give where the functions are served")
    return value.rstrip("/")


def _proven_by(environment: Mapping[str, str]) -> str:
    """Return what proves a caller: only where nobody else gets through is Google's own check a proof."""
    found = environment.get("KEYFLEET_PROVEN_BY") or SIGNATURE
    if found not in (SIGNATURE, IAM):
        raise InvalidInput("KEYFLEET_PROVEN_BY", "unknown", f"Say {SIGNATURE} or {IAM}")
    if found == IAM and any(environment.get(name) for name in OPEN_TO_ALL):
        raise InvalidInput("KEYFLEET_PROVEN_BY", "set where anybody may call", "Remove it there")
    return found


def _emulators(environment: Mapping[str, str]) -> Mapping[str, str]:
    """Return which services are emulated: none where Google runs us, for that goes in clear."""
    found = {service: environment[name] for service, name in EMULATED.items() if environment.get(name)}
    for service, address in found.items():
        if not _ADDRESS.fullmatch(address):
            raise InvalidInput(EMULATED[service], "malformed", "Give host:port, without a scheme")
        if environment.get(DEPLOYED) and environment.get(REHEARSED) != "true":
            raise InvalidInput(
                EMULATED[service],
                f"set beside {DEPLOYED}",
                f"Remove it; in a rehearsal, set {REHEARSED}=true",
            )
    return found

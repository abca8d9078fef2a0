"""Functions, services and workflows: how each runs, as whom, who may call it, and what its account may do."""

from collections.abc import Iterator
from typing import Any, Final

from infra.manifest.load import Function, Manifest
from infra.manifest.model import ADAPTERS, RESERVED, Workflow, workflow_identity
from infra.manifest.resolved import function_timeout, roles_of
from infra.manifest.rights import grants_of
from infra.manifest.topics import awaited
from infra.manifest.triggers import ServiceTrigger

Table = dict[str, Any]

SHARED_ENVIRONMENT: Final = {
    "FUNCTION_USE_ASGI": "true",
    "KEYFLEET_DATABASE": "keyfleet",
    "KEYFLEET_KEY_RING": "melmastoon-lock",
    "KEYFLEET_SEALED_DATABASE": "keyfleet-sealed",
}
"""What every function is told, wherever it is."""
PLACE: Final = {
    "GOOGLE_CLOUD_PROJECT": "project",
    "KEYFLEET_BASE_URL": "base_url",
    "KEYFLEET_CELL": "cell",
    "KEYFLEET_EMAIL_DOMAIN": "email_domain",
    "KEYFLEET_KEY_LOCATION": "region",
    "KEYFLEET_QUEUE_LOCATION": "region",
    "KEYFLEET_RECORDS_BUCKET": "records_bucket",
    "KEYFLEET_REGION": "region",
    "KEYFLEET_WORKFLOW_LOCATION": "region",
}
"""What every function is told of where it is: Terraform knows, by the name behind each."""
BUILD: Final[Table] = {
    "runtime": "python311",
    # Sources in an image bear the year 1980: only bytecode that is checked by hash fits them (finding 24).
    "environment": {"SOURCE_DATE_EPOCH": "315532801"},
    "service_command": "uvicorn main:app --host 0.0.0.0 --port $PORT --ws websockets --no-access-log",
}
"""How the archive is built, and what starts an application of its own."""
_INGRESS: Final = {"all": "ALLOW_ALL", "internal": "ALLOW_INTERNAL_ONLY"}
_LOGGED: Final = {"none": "LOG_NONE", "errors": "LOG_ERRORS_ONLY", "all": "LOG_ALL_CALLS"}


def functions(manifest: Manifest) -> Table:
    """Return every function and service, by name."""
    kept = ",".join(f"{each.subscription}={each.topic}" for each in awaited(manifest.functions))
    return {name: _function(function, kept) for name, function in sorted(manifest.functions.items())}


def next_builds(manifest: Manifest) -> Table:
    """Return which adapters are deployed once more while a next archive is on trial, by name (A §15.5)."""
    return {name: {"of": each.next_of} for name, each in sorted(manifest.next_builds.items())}


def _function(function: Function, kept: str) -> Table:
    it = function.deployable
    return {
        "description": it.description,
        "family": function.family,
        "entry_point": function.entry_point,
        "kind": "service" if isinstance(it.trigger, ServiceTrigger) else "function",
        "trigger": type(it.trigger).__name__.removesuffix("Trigger").removesuffix("s").lower(),
        "adapter": it.adapter,
        "account": function.account,
        "cpu": it.cpu,
        "memory": it.memory,
        "concurrency": it.concurrency,
        "min_instances": it.min_instances,
        "max_instances": it.max_instances,
        "timeout_seconds": function_timeout(function),
        "ingress": _INGRESS[it.ingress],
        # Whoever has no account of the project cannot be named to IAM: the handler checks people's tokens.
        "open_to_all": it.public or it.people,
        "environment": dict(sorted(_environment(function, kept).items())),
    }


_LETTERS: Final = frozenset({"dead-letters", "dead-letters-look"})


def _environment(function: Function, kept: str) -> dict[str, str]:
    it = function.deployable
    said = {
        "KEYFLEET_CALLERS": _listed(function.allowed()),
        "KEYFLEET_KEPT": kept if _LETTERS & set(function.deployable.roles) else "",
        "KEYFLEET_OPENS": _listed(it.opens),
        "KEYFLEET_ROLES": _listed(roles_of(function)),
        "KEYFLEET_SEALS": _listed(it.seals),
        "KEYFLEET_SECRETS": _listed(it.secrets),
        "KEYFLEET_TIMEOUT": str(it.timeout),
        "KEYFLEET_PUBLIC": "true" if it.public else "",
        "KEYFLEET_PEOPLE": "true" if it.people else "",
    }
    return SHARED_ENVIRONMENT | {name: value for name, value in said.items() if value}


def _listed(names: Any) -> str:
    return ",".join(sorted(names))


def identities(manifest: Manifest) -> Table:
    """Return every service account, by name."""
    sagas = {workflow_identity(name): "workflow" for name in manifest.workflows}
    ours = {function.account for function in manifest.functions.values()}
    kinds = dict.fromkeys(RESERVED, "platform") | sagas | dict.fromkeys(ours, "function")
    return {name: {"kind": kind} for name, kind in sorted(kinds.items())}


def invokers(manifest: Manifest) -> Table:
    """Return who may call what, a row for each pair."""
    return {
        f"{name}/{caller}": {"function": name, "caller": caller}
        for name, function in sorted(manifest.functions.items())
        for caller in sorted(function.allowed())
    }


def grants(manifest: Manifest) -> Table:
    """Return what each function's account may do, a row for each role on each thing."""
    return dict(sorted(_granted(manifest)))


def _granted(manifest: Manifest) -> Iterator[tuple[str, Table]]:
    for function in manifest.functions.values():
        account = function.account
        for grant in grants_of(function, manifest):
            key = "/".join(filter(None, (account, grant.role.removeprefix("roles/"), grant.target)))
            yield key, {"account": account, "role": grant.role, "on": grant.on, "target": grant.target}


def workflows(manifest: Manifest) -> Table:
    """Return every workflow, by name: deployed after the functions it calls."""
    return {name: _workflow(name, it, manifest) for name, it in sorted(manifest.workflows.items())}


def _workflow(name: str, it: Workflow, manifest: Manifest) -> Table:
    adapters = [name for name, function in manifest.functions.items() if function.deployable.adapter]
    named = [callee for callee in it.calls if callee != ADAPTERS]
    return {
        "description": it.description,
        "source": f"workflows/{name}.yaml",
        "account": workflow_identity(name),
        "environment": dict(sorted(it.env.items())),
        "environment_of_fleet": {"FLEET_URL": "base_url"},
        "call_log_level": _LOGGED[it.log],
        # The history of a detailed execution holds variables, and among those callbacks' addresses.
        "execution_history_level": "EXECUTION_HISTORY_BASIC",
        "calls": sorted({*named, *(adapters if ADAPTERS in it.calls else ())}),
    }

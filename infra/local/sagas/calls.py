"""Making the calls that a workflow asks for, under the workflow's own identity."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from infra.local.delivery.parts import DeliveryParts
from infra.local.workflows.limits import RESPONSE_BYTES
from infra.local.workflows.ops import HttpRequest
from infra.local.workflows.outcomes import HttpFault, HttpResponse, Outcome
from shared.vendor_kit.http import Call, CallFault, ConnectionBroken, ConnectionFailed, TimedOut

FAULTS: Final[Mapping[type[CallFault], str]] = MappingProxyType(
    {ConnectionFailed: "connection_failed", ConnectionBroken: "connection_broken", TimedOut: "timeout"}
)


def identity_of(workflow: str) -> str:
    """Return the service identity a workflow calls under."""
    return f"workflow-{workflow.replace('_', '-')}"


async def perform(
    request: HttpRequest, workflow: str, means: DeliveryParts, moved: tuple[str, str]
) -> Outcome:
    """Send a request once, to where the fleet is now if it has moved, and return how it ended."""
    call = Call(
        request.method,
        _rebased(request.url, moved),
        {**request.headers, **_authorization(request, workflow, means, moved)},
        request.body or b"",
        request.timeout,
    )
    means.faults.reach("before-call")
    try:
        answer = await means.transport.send(call)
    except CallFault as fault:
        return HttpFault(FAULTS[type(fault)], str(fault))
    means.faults.reach("after-call")
    if len(answer.body) > RESPONSE_BYTES:
        return HttpFault("too_large")
    return HttpResponse(answer.status, {_spelled(name): v for name, v in answer.headers.items()}, answer.body)


def _rebased(url: str, moved: tuple[str, str]) -> str:
    before, now = moved
    return now + url.removeprefix(before) if url.startswith(f"{before}/") else url


def _spelled(name: str) -> str:
    """Spell a header's name as Google's workflows see it: Content-Type."""
    return "-".join(part.capitalize() for part in name.split("-"))


def _authorization(
    request: HttpRequest, workflow: str, means: DeliveryParts, moved: tuple[str, str]
) -> dict[str, str]:
    auth: Mapping[str, Any] = request.auth or {}
    if auth.get("type") not in {"OIDC", "OAuth2"}:
        return {}
    audience = _rebased(str(auth.get("audience") or request.url.partition("?")[0]), moved)
    return {"authorization": f"Bearer {means.tokens.token(identity_of(workflow), audience)}"}

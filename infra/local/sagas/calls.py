"""Making the calls that a workflow asks for, under the workflow's own identity."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from infra.local.delivery.means import Means
from infra.local.wire import Call, CallFault, ConnectionBroken, ConnectionFailed, TimedOut
from infra.local.workflows.ops import HttpRequest
from infra.local.workflows.outcomes import HttpFault, HttpResponse, Outcome

FAULTS: Final[Mapping[type[CallFault], str]] = MappingProxyType(
    {ConnectionFailed: "connection_failed", ConnectionBroken: "connection_broken", TimedOut: "timeout"}
)


def identity_of(workflow: str) -> str:
    """Return the service identity a workflow calls under."""
    return f"workflow-{workflow.replace('_', '-')}"


async def perform(request: HttpRequest, workflow: str, means: Means) -> Outcome:
    """Send a request once, and return how it ended."""
    call = Call(
        request.method,
        request.url,
        {**request.headers, **_authorization(request, workflow, means)},
        request.body or b"",
        request.timeout,
    )
    means.faults.reach("before-call")
    try:
        answer = await means.transport.send(call)
    except CallFault as fault:
        return HttpFault(FAULTS[type(fault)], str(fault))
    means.faults.reach("after-call")
    return HttpResponse(answer.status, {_spelled(name): v for name, v in answer.headers.items()}, answer.body)


def _spelled(name: str) -> str:
    """Spell a header's name as Google's workflows see it: Content-Type."""
    return "-".join(part.capitalize() for part in name.split("-"))


def _authorization(request: HttpRequest, workflow: str, means: Means) -> dict[str, str]:
    auth: Mapping[str, Any] = request.auth or {}
    if auth.get("type") not in {"OIDC", "OAuth2"}:
        return {}
    audience = str(auth.get("audience") or request.url.partition("?")[0])
    return {"authorization": f"Bearer {means.tokens.token(identity_of(workflow), audience)}"}

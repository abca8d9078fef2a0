"""What a function may do, by its descriptor's roles: held here as IAM holds it elsewhere."""

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import Any, Final, TypeVar, cast

from infra.manifest.resolved import QUARANTINE_ROLE
from shared.domain.ids import TenantId
from shared.events.backoffice.catalogue import ROOT
from shared.kernel.identity import Forbidden
from shared.ports.bus import EventBus, Message
from shared.ports.vault import Secrets
from shared.runtime.platform import QUARANTINE_TOPIC, Deployed, deployed

T = TypeVar("T")

DOCUMENTS: Final = MappingProxyType({"tenant": "documents", "sweep": "documents"})
SEALED: Final = MappingProxyType({"tenant": "sealed", "sweep": "sealed"})
TASKS: Final = MappingProxyType({"enqueue": "tasks-enqueue"})
SAGAS: Final = MappingProxyType(
    {
        "start": "workflows-start",
        "get": "workflows-start",
        "cancel": "workflows-start",
        "call_back": "workflows-callback",
    }
)


DEAD_LETTERS: Final = MappingProxyType(
    {"waiting": "dead-letters-look", **dict.fromkeys(("replay", "discard"), "dead-letters")}
)
EXECUTIONS: Final = MappingProxyType(dict.fromkeys(("listed", "history"), "executions"))
SCHEDULES: Final = MappingProxyType(dict.fromkeys(("states", "run"), "schedules"))
OBJECTS: Final = MappingProxyType(dict.fromkeys(("add", "read", "listed", "remove"), "objects"))
NUDGES: Final = MappingProxyType(dict.fromkeys(("ring", "listen"), "documents"))
"""On Google Cloud a bell is a document, and who may write one may write all."""


def held_to(port: T, roles: Mapping[str, str]) -> T:
    """Return the port, each of its methods open only to functions with the method's role."""
    return cast("T", _Held(port, roles))


class _Held:
    """Looks at who asks before it hands out a method; the platform's own code is nobody and may ask."""

    def __init__(self, port: object, roles: Mapping[str, str]) -> None:
        self._port, self._roles = port, roles

    def __getattr__(self, name: str) -> Any:
        if role := self._roles.get(name):
            _check_role(role)
        return getattr(self._port, name)


class HeldBus:
    """A bus that takes what a function may tell: what it sets aside, and with `publish` our events."""

    def __init__(self, bus: EventBus) -> None:
        self._bus = bus

    async def publish(self, topic: str, messages: Sequence[Message]) -> tuple[str, ...]:
        """Publish, or raise Forbidden before anything is kept."""
        _check_role(QUARANTINE_ROLE if topic == QUARANTINE_TOPIC else _role_to_tell(topic))
        return await self._bus.publish(topic, messages)


class HeldSecrets:
    """Secrets, each open only to functions that name it, and changed only by those with `secrets-write`."""

    def __init__(self, secrets: Secrets) -> None:
        self._secrets = secrets

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._secrets, name)

        def checked(secret: str, *rest: Any) -> Any:
            _check_named(_who(), secret)
            if name in ("add", "destroy"):
                _check_role("secrets-write")
            return method(secret, *rest)

        return checked


def sealing() -> frozenset[str] | None:
    """Return what the present function seals for and does not open; None where the platform itself asks."""
    function = _who()
    return None if function is None else function.seals


class CarryingExecutor(ThreadPoolExecutor):
    """Threads that know for which function they work: an executor of asyncio's own takes no context along."""

    def submit(self, work: Callable[..., T], /, *given: Any, **named: Any) -> "Future[T]":
        """Have something done, for whoever asks."""
        return super().submit(copy_context().run, work, *given, **named)


def _who() -> Deployed | None:
    """Return the function that asks; the platform itself is nobody, and asks from the main thread alone."""
    function = deployed.get(None)
    if function is None and threading.current_thread() is not threading.main_thread():
        raise Forbidden("a thread that works for no known function: start it with asyncio.to_thread")
    return function


def _check_role(role: str) -> None:
    function = _who()
    if function is not None and role not in function.roles:
        raise Forbidden(f"{function.name} has no role {role}: add it to its fleet.yaml")


def _role_to_tell(topic: str) -> str:
    return "telemetry" if topic.startswith(f"{ROOT}.") else "publish"


def _covers(pattern: str, secret: str) -> bool:
    # What a pattern leaves open begins with a tenant: a vendor's code may begin another's.
    return fnmatchcase(secret, pattern.replace("-*", f"-{TenantId.prefix}*", 1))


def _check_named(function: Deployed | None, secret: str) -> None:
    if function is None or any(_covers(pattern, secret) for pattern in function.secrets):
        return
    raise Forbidden(f"{function.name} names no such secret: add it to its fleet.yaml")

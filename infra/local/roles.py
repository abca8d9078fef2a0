"""What a function may do, by its descriptor's roles: held here as IAM holds it elsewhere."""

from collections.abc import Mapping
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import Any, Final, TypeVar, cast

from shared.kernel.identity import Forbidden
from shared.ports.vault import Secrets
from shared.runtime.platform import Deployed, deployed

T = TypeVar("T")

DOCUMENTS: Final = MappingProxyType({"tenant": "documents", "sweep": "documents"})
TASKS: Final = MappingProxyType({"enqueue": "tasks-enqueue"})
SAGAS: Final = MappingProxyType(
    {
        "start": "workflows-start",
        "get": "workflows-start",
        "cancel": "workflows-start",
        "call_back": "workflows-callback",
    }
)


def held_to(port: T, roles: Mapping[str, str]) -> T:
    """Return the port, each of its methods open only to functions with the method's role."""
    return cast("T", _Held(port, roles))


class _Held:
    """Looks at who asks before it hands out a method; the platform's own code is nobody and may ask."""

    def __init__(self, port: object, roles: Mapping[str, str]) -> None:
        self._port, self._roles = port, roles

    def __getattr__(self, name: str) -> Any:
        function, role = deployed.get(None), self._roles.get(name)
        if function is not None and role is not None and role not in function.roles:
            raise Forbidden(f"{function.name} has no role {role}: add it to its fleet.yaml")
        return getattr(self._port, name)


class HeldSecrets:
    """Secrets, each open only to functions whose descriptor names it, as a name or a pattern."""

    def __init__(self, secrets: Secrets) -> None:
        self._secrets = secrets

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._secrets, name)

        def checked(secret: str, *rest: Any) -> Any:
            _check_named(deployed.get(None), secret)
            return method(secret, *rest)

        return checked


def _check_named(function: Deployed | None, secret: str) -> None:
    if function is None or any(fnmatchcase(secret, pattern) for pattern in function.secrets):
        return
    raise Forbidden(f"{function.name} names no such secret: add it to its fleet.yaml")

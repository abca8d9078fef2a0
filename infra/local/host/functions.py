"""Loading each deployable through functions-framework's own ASGI loader, its module imported once."""

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import ModuleType
from typing import Any

from functions_framework.aio import create_asgi_app_from_module
from starlette.types import ASGIApp

from infra.manifest.load import Function, Manifest, ManifestRefused
from infra.manifest.resolved import roles_of
from shared.runtime.platform import Deployed
from shared.runtime.service import Service


@dataclass(frozen=True, slots=True)
class Hosted:
    """A function that is ready to be called."""

    deployed: Deployed
    app: ASGIApp
    is_service: bool = False
    """Whether it takes sockets, and ends what takes too long by itself."""


def load_functions(manifest: Manifest, base_url: str) -> Mapping[str, Hosted]:
    """Load every deployable, and adapters once more: here, the next build is of the same tree."""
    hosted = {**manifest.functions, **manifest.next_builds}
    return {name: _load(function, base_url) for name, function in hosted.items()}


def host_function(deployed: Deployed, module: ModuleType, entry_point: str) -> Hosted:
    """Make one function of a module ready to be called: services as they are, others by the framework."""
    entry = getattr(module, entry_point)
    if isinstance(entry, Service):
        return Hosted(deployed, entry, is_service=True)
    return Hosted(deployed, _framed(entry, module, entry_point))


@lru_cache(maxsize=1024)
def _framed(_entry: Callable[..., Any], module: ModuleType, entry_point: str) -> ASGIApp:
    """Return a function in the framework's app, which keeps nothing: each function has one in a process.

    Which function the module has by that name tells it from what stood there before.
    """
    app: ASGIApp = create_asgi_app_from_module(  # type: ignore[no-untyped-call]  # it ships no types here
        entry_point, str(module.__file__), "http", module, None
    )
    return app


def _load(function: Function, base_url: str) -> Hosted:
    module = importlib.import_module(function.module)
    if not hasattr(module, function.entry_point):
        raise ManifestRefused(
            f"{function.name}: {function.module} has no {function.entry_point}: "
            "write it, or set entry_point in fleet.yaml"
        )
    deployable = function.deployable
    deployed = Deployed(
        name=function.name,
        audience=f"{base_url}/{function.name}",
        public=deployable.public,
        people=deployable.people,
        callers=function.allowed(),
        opens=frozenset(deployable.opens),
        seals=frozenset(deployable.seals),
        roles=roles_of(function),
        secrets=deployable.secrets,
        timeout=float(deployable.timeout),
    )
    return host_function(deployed, module, function.entry_point)


def described(name: str, function: Hosted) -> dict[str, Any]:
    """Return a function as operators see it."""
    return {"name": name, "public": function.deployed.public, "callers": sorted(function.deployed.callers)}

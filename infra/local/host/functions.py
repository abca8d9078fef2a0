"""Loading each deployable through functions-framework's own ASGI loader, its module imported once."""

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import ModuleType
from typing import Any

from functions_framework.aio import ExceptionHandlerMiddleware, create_asgi_app_from_module
from starlette.applications import Starlette
from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from infra.manifest.load import Function, Manifest, ManifestRefused
from infra.manifest.resolved import roles_of
from shared.runtime.platform import Deployed
from shared.runtime.service import Service

ASIDE = frozenset({"/robots.txt", "/favicon.ico"})
"""What the framework answers itself."""


@dataclass(frozen=True, slots=True)
class Hosted:
    """A function that is ready to be called."""

    deployed: Deployed
    app: ASGIApp
    is_service: bool = False
    """Whether it takes sockets, and ends what takes too long by itself."""


class Framed:
    """A function as the framework wraps it, called without a search for its route: nearly all lead there.

    What leads elsewhere, and whatever breaks, is answered by the framework's own application.
    """

    def __init__(self, app: Starlette) -> None:
        main = next(route for route in app.routes if isinstance(route, Route))
        self._app, self._endpoint, self._methods = app, main.endpoint, main.methods or set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["method"] not in self._methods or scope["path"] in ASIDE:
            await self._app(scope, receive, send)
            return
        try:
            answer = await self._endpoint(Request(scope, receive, send))
        except Exception as error:  # noqa: BLE001 - told as the framework tells it
            await ExceptionHandlerMiddleware(ExceptionMiddleware(_broken(error)))(scope, receive, send)  # type: ignore[no-untyped-call]
        else:
            await answer(scope, receive, send)


def _broken(error: Exception) -> ASGIApp:
    async def app(_scope: Scope, _receive: Receive, _send: Send) -> None:
        raise error

    return app


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
    return Framed(
        create_asgi_app_from_module(  # type: ignore[no-untyped-call]  # it ships no types here
            entry_point, str(module.__file__), "http", module, None
        )
    )


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

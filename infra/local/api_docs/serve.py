"""The API's description at `/docs/` of this machine's fleet: a page to read and to ask from, and the files.

It is no function of the fleet and stands in no manifest: Google Cloud serves none of it. The page runs our
own script alone, which puts nothing into it but text, and asks nobody but the fleet that it came from.
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from starlette.responses import Response

from infra.local.host.functions import Hosted, host_function
from infra.local.world import FleetConfig
from infra.manifest.load import ROOT
from shared.runtime.entry import public
from shared.runtime.incoming import Incoming
from shared.runtime.platform import Deployed, Platform

NAME: Final = "docs"
HERE: Final = Path(__file__).parent
FILES: Final[Mapping[str, tuple[Path, str]]] = {
    "/": (HERE / "index.html", "text/html"),
    "/explorer.js": (HERE / "explorer.js", "text/javascript"),
    "/explorer.css": (HERE / "explorer.css", "text/css"),
    "/openapi.json": (ROOT / "schemas" / "openapi.json", "application/json"),
    "/asyncapi.json": (ROOT / "schemas" / "asyncapi.json", "application/json"),
    "/llms.txt": (ROOT / "schemas" / "llms.txt", "text/plain"),
}
_HEADERS: Final = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "cache-control": "no-cache",
}


@public(limit=0, methods=("GET", "HEAD"))
async def api_docs(came: Incoming, _on: Platform) -> Response:
    """Return a file of the description."""
    found = FILES.get(came.path)
    if found is None:
        return Response("no such file: see /docs/\n", 404, media_type="text/plain")
    file, kind = found
    return Response(file.read_bytes(), headers=_HEADERS, media_type=kind)


def docs_function(config: FleetConfig) -> Mapping[str, Hosted]:
    """Return what serves the description, beside the fleet's own functions."""
    deployed = Deployed(NAME, f"{config.base_url}/{NAME}", public=True)
    return {NAME: host_function(deployed, sys.modules[__name__], "api_docs")}

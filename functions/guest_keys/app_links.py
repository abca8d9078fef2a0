"""What phones ask the links' host: which apps open guests' links in place of a browser.

| asked for | by | says |
|---|---|---|
| `/.well-known/apple-app-site-association` | Apple, for its phones | apps, and which paths are links |
| `/.well-known/assetlinks.json` | Android phones | packages, and who signs them |

Both lie at the root of the links' host: whatever stands before this function leads them here.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

import orjson

from shared.messages.locales import Locale
from shared.runtime.pages import Download, Page
from shared.runtime.platform import Platform
from shared.usecases.guests.name_apps import named_apps

JSON: Final = "application/json"
KEPT_FOR: Final = {"cache-control": "public, max-age=3600"}
_OPENS: Final = "delegate_permission/common.handle_all_urls"
Apps = Mapping[str, Any]


def _apple(apps: Apps) -> object:
    paths = [{"/": f"*/{locale.value}/*"} for locale in Locale]
    components = [{"#": "no_universal_links", "exclude": True}, *paths]
    details = [{"appIDs": apps["apple"], "components": components}] if apps["apple"] else []
    return {"applinks": {"details": details}}


def _android(apps: Apps) -> object:
    return [
        {
            "relation": [_OPENS],
            "target": {
                "namespace": "android_app",
                "package_name": package,
                "sha256_cert_fingerprints": prints,
            },
        }
        for package, prints in apps["android"].items()
    ]


FILES: Final[Mapping[str, Callable[[Apps], object]]] = {
    "/.well-known/apple-app-site-association": _apple,
    "/.well-known/assetlinks.json": _android,
}


async def app_links(path: str, on: Platform) -> Page:
    """Return the file that a phone asks for; the same for everybody, and known to all."""
    said = FILES[path](await named_apps(on.documents))
    return Page("", 200, KEPT_FOR, Download(JSON, orjson.dumps(said)))

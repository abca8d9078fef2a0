"""A vendor's receiver as a function: all that a vendor adds is what proves and reads its webhooks.

    @webhook
    def webhook_acme() -> HookReader:
        from shared.vendors.acme.webhook import AcmeHooks
        return AcmeHooks()

Its path names the property, and bears the secret where the vendor cannot sign. It answers 2xx, 400, 401 or
413, and an alert is all that a stranger can cause.
"""

from collections.abc import Callable
from typing import Any, Final

from starlette.responses import Response

from shared.runtime.entry import Entry, public
from shared.runtime.incoming import WEBHOOK_BYTES, Incoming
from shared.runtime.platform import Platform
from shared.runtime.responses import json_response

PREFIX: Final = "webhook_"
UNPROVEN: Final = {"error": {"kind": "Unauthenticated", "detail": "not proven to come from the vendor"}}


def webhook(reader: Callable[[], Any]) -> Entry:
    """Make the entry point of a vendor's receiver."""
    name = f"doorbell:{reader.__name__}"

    async def receive(request: Incoming, on: Platform) -> Response:
        from shared.usecases.webhooks.delivered import NotProven, delivered

        try:
            hook = delivered(request.path.strip("/").split("/"), request.headers, request.body)
            if name not in on.kept:
                on.kept[name] = _doorbell(reader, on)
            return Response(await on.kept[name].ring(hook), 200)
        except NotProven:
            on.log.seldom("a webhook was refused", "not proven", function=reader.__name__)
            return json_response(UNPROVEN, 401)

    for each in ("__name__", "__qualname__", "__module__", "__doc__"):
        setattr(receive, each, getattr(reader, each))
    return public(WEBHOOK_BYTES)(receive)


def _doorbell(reader: Callable[[], Any], on: Platform) -> Any:
    from shared.domain.kinds import VendorCode
    from shared.usecases.webhooks.receive_webhook import Doorbell, DoorbellPorts

    vendor = VendorCode(reader.__name__.removeprefix(PREFIX).replace("_", "-"))
    ports = DoorbellPorts(on.hotels, on.secrets, on.tasks, on.ids, on.clock, on.log)
    return Doorbell(vendor, reader(), ports)

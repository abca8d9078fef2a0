"""Where traces go: to the collector that the environment names, as OpenTelemetry's own programs are told."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from shared.domain.errors import InvalidInput
from shared.kernel.spans import Tracing
from shared.ports.ambient import Clock, Entropy

if TYPE_CHECKING:  # a function that tells nobody loads neither
    from shared.gcp.access import AccessTokens
    from shared.vendor_kit.http import Http

ENDPOINT: Final = "OTEL_EXPORTER_OTLP_ENDPOINT"
SERVICE: Final = "lock-integration-service"
GOOGLE: Final = ".googleapis.com"
PATIENCE: Final = 5.0


def tracing_of(
    environment: Mapping[str, str],
    http: "Http",
    clock: Clock,
    entropy: Entropy,
    access: "AccessTokens | None" = None,
) -> Tracing | None:
    """Return who records spans, or None where the environment names no collector."""
    endpoint = environment.get(ENDPOINT, "").rstrip("/")
    if not endpoint:
        return None
    address = urlsplit(endpoint)
    if address.scheme not in ("http", "https") or not address.hostname:
        raise InvalidInput(
            ENDPOINT, "malformed", "Give the collector's address, such as http://127.0.0.1:4318"
        )
    from shared.kernel.otlp import OtlpExporter

    told = access if address.hostname.endswith(GOOGLE) else None
    resource = {"service.name": SERVICE, "faas.name": environment.get("K_SERVICE", "")}
    if project := environment.get("GOOGLE_CLOUD_PROJECT"):
        resource["gcp.project_id"] = project
    exporter = OtlpExporter(_Posted(endpoint, http, told), resource)
    return Tracing(exporter, lambda: int(clock.now().timestamp() * 1e6) * 1000, entropy.token)


class _Posted:
    """Posts a body to a collector; Google's own is told who we are."""

    def __init__(self, endpoint: str, http: "Http", access: "AccessTokens | None") -> None:
        self._endpoint, self._http, self._access = endpoint, http, access

    async def __call__(self, body: bytes) -> bool:
        """Say whether it was taken."""
        from shared.kernel.otlp import PATH
        from shared.vendor_kit.http import Call

        headers = {"content-type": "application/json"}
        if self._access is not None:
            headers["authorization"] = f"Bearer {await self._access.token()}"
        answer = await self._http.send(Call("POST", self._endpoint + PATH, headers, body, PATIENCE))
        return 200 <= answer.status < 300

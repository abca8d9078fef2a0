"""Secret Manager: its API before the sealed secrets that the embedded cloud keeps.

Where Google's `latest` names a version that was destroyed, this one names the newest that was not.
"""

from collections.abc import Callable
from typing import Any, Final

from google.cloud.secretmanager_v1.types import (
    AccessSecretVersionRequest,
    AccessSecretVersionResponse,
    AddSecretVersionRequest,
    CreateSecretRequest,
    DestroySecretVersionRequest,
    GetSecretVersionRequest,
    SecretVersion,
)
from google.cloud.secretmanager_v1.types import Secret as GoogleSecret
from grpc import StatusCode

from infra.emulated.serving import Fake, Refusal
from shared.domain.secret import Secret
from shared.gcp.crc32c import crc32c
from shared.ports.vault import SecretMissing, Secrets

STATES: Final = SecretVersion.State
LATEST: Final = "latest"


class EmulatedSecrets(Fake):
    """The secrets of one project."""

    def __init__(self, secrets: Callable[[], Secrets]) -> None:
        super().__init__(
            "google.cloud.secretmanager.v1.SecretManagerService",
            CreateSecret=(CreateSecretRequest, GoogleSecret),
            AddSecretVersion=(AddSecretVersionRequest, SecretVersion),
            GetSecretVersion=(GetSecretVersionRequest, SecretVersion),
            AccessSecretVersion=(AccessSecretVersionRequest, AccessSecretVersionResponse),
            DestroySecretVersion=(DestroySecretVersionRequest, SecretVersion),
        )
        self._secrets = secrets

    def create_secret(self, request: Any) -> Any:
        """Make a secret: here it is there as soon as it has a version."""
        return GoogleSecret(name=f"{request.parent}/secrets/{request.secret_id}")

    async def add_secret_version(self, request: Any) -> Any:
        """Add a version."""
        data = bytes(request.payload.data)
        number = await self._secrets().add(_named(request.parent)[0], Secret(data))
        return SecretVersion(name=f"{request.parent}/versions/{number}", state=STATES.ENABLED)

    async def get_secret_version(self, request: Any) -> Any:
        """Describe a version; one that cannot be read is destroyed."""
        try:
            await self._read(request.name)
        except Refusal:
            return SecretVersion(name=request.name, state=STATES.DESTROYED)
        return SecretVersion(name=request.name, state=STATES.ENABLED)

    async def access_secret_version(self, request: Any) -> Any:
        """Read a version."""
        found = await self._read(request.name)
        data = found.value.reveal()
        payload = {"data": data, "data_crc32c": crc32c(data)}
        name = f"{request.name.rpartition('/')[0]}/{found.version}"
        return AccessSecretVersionResponse(name=name, payload=payload)

    async def destroy_secret_version(self, request: Any) -> Any:
        """Destroy a version, once."""
        secret, version = _named(request.name)
        try:
            await self._secrets().destroy(secret, int(version))
        except SecretMissing:
            raise Refusal(StatusCode.NOT_FOUND, "Secret Version not found.") from None
        return SecretVersion(name=request.name, state=STATES.DESTROYED)

    async def _read(self, name: str) -> Any:
        secret, version = _named(name)
        try:
            if version == LATEST:
                return await self._secrets().latest(secret)
            return await self._secrets().version(secret, int(version))
        except SecretMissing:
            raise Refusal(StatusCode.NOT_FOUND, "Secret Version not found.") from None


def _named(path: str) -> tuple[str, str]:
    """Return the secret and the version of a resource's name."""
    secret, _, version = path.partition("/secrets/")[2].partition("/versions/")
    return secret, version

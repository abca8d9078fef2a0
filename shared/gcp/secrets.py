"""Secrets on Secret Manager, remembered for some minutes: every access costs money and a round trip."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, Final

from shared.domain.errors import InvalidInput
from shared.domain.secret import Secret
from shared.gcp.clients import Connect
from shared.gcp.crc32c import crc32c
from shared.gcp.settings import GoogleSettings
from shared.kernel.remembered import Remembered
from shared.ports.ambient import Clock
from shared.ports.trouble import ServiceTrouble
from shared.ports.vault import SecretMissing, SecretVersion

KEPT_FOR: Final = timedelta(seconds=15)
"""Beside the 15 seconds an adapter remembers an account: a leaked one is gone everywhere in half a minute."""
MOST_BYTES: Final = 64 * 1024
TIMEOUT_SECONDS: Final = 20.0
LATEST: Final = "latest"
_NAME: Final = re.compile(r"[0-9A-Za-z_-]{1,255}")


class SecretManager:
    """Named secrets with numbered versions, in the cell's own region."""

    def __init__(self, connect: Connect, settings: GoogleSettings, clock: Clock) -> None:
        self._connect, self._settings = connect, settings
        self._kept: Remembered[tuple[str, str], SecretVersion] = Remembered(clock.now, KEPT_FOR)

    async def latest(self, secret: str) -> SecretVersion:
        """Return the newest version that is not destroyed."""
        return await self._known(secret, LATEST)

    async def version(self, secret: str, version: int) -> SecretVersion:
        """Return one version."""
        if version < 1:
            raise _missing(secret)
        return await self._known(secret, str(version))

    async def add(self, secret: str, value: Secret[bytes]) -> int:
        """Add a version and return its number; versions count from 1."""
        _check(secret, value)
        from google.api_core.exceptions import NotFound

        try:
            made = await self._add(secret, value)
        except NotFound:
            await self._create(secret)
            made = await self._add(secret, value)
        self._forget(secret)
        return _number(made.name)

    async def destroy(self, secret: str, version: int) -> None:
        """Make one version unreadable for ever."""
        from google.api_core.exceptions import FailedPrecondition

        request = {"name": self._version(secret, version)}
        with _missing_if_absent(secret):
            try:
                await self._connect().destroy_secret_version(request, timeout=TIMEOUT_SECONDS)
            except FailedPrecondition:
                # It is destroyed already, or Secret Manager says why it cannot be.
                if await self._alive(request):
                    raise
        self._forget(secret)

    async def _known(self, secret: str, version: str) -> SecretVersion:
        known = self._kept.get((secret, version))
        return await self._read(secret, version) if known is None else known

    async def _read(self, secret: str, version: str) -> SecretVersion:
        from google.api_core.exceptions import FailedPrecondition

        changes = self._kept.changes
        with _missing_if_absent(secret):
            try:
                found = await self._access(self._version(secret, version))
            except FailedPrecondition:
                if version != LATEST:
                    raise _missing(secret) from None
                # What Secret Manager calls the latest is the last one made, also when it is destroyed.
                found = await self._access(await self._newest_enabled(secret))
        if changes == self._kept.changes:  # nothing was added or destroyed meanwhile
            self._kept.put((secret, version), found)
        return found

    async def _access(self, name: str) -> SecretVersion:
        answer = await self._connect().access_secret_version({"name": name}, timeout=TIMEOUT_SECONDS)
        data, told = bytes(answer.payload.data), answer.payload.data_crc32c
        if told and told != crc32c(data):
            raise ServiceTrouble("a secret was bent on its way from Secret Manager: read it again")
        return SecretVersion(_number(answer.name), Secret(data))

    async def _newest_enabled(self, secret: str) -> str:
        request = {"parent": self._secret(secret), "filter": "state:ENABLED", "page_size": 1}
        pages = await self._connect().list_secret_versions(request, timeout=TIMEOUT_SECONDS)
        async for version in pages:
            return str(version.name)
        raise _missing(secret)

    async def _alive(self, request: dict[str, str]) -> bool:
        found = await self._connect().get_secret_version(request, timeout=TIMEOUT_SECONDS)
        return str(found.state.name) != "DESTROYED"

    async def _add(self, secret: str, value: Secret[bytes]) -> Any:
        data = value.reveal()
        payload = {"data": data, "data_crc32c": crc32c(data)}
        request = {"parent": self._secret(secret), "payload": payload}
        return await self._connect().add_secret_version(request, timeout=TIMEOUT_SECONDS)

    async def _create(self, secret: str) -> None:
        from google.api_core.exceptions import AlreadyExists

        # In the cell's region alone: data residency holds for secrets too.
        replicas = {"user_managed": {"replicas": [{"location": self._settings.region}]}}
        request = {"parent": f"projects/{self._settings.project}", "secret_id": secret}
        try:
            await self._connect().create_secret(
                {**request, "secret": {"replication": replicas}}, timeout=TIMEOUT_SECONDS
            )
        except AlreadyExists:
            return

    def _forget(self, secret: str) -> None:
        self._kept.forget(lambda key: key[0] == secret)

    def _secret(self, secret: str) -> str:
        return f"projects/{self._settings.project}/secrets/{secret}"

    def _version(self, secret: str, version: int | str) -> str:
        return f"{self._secret(secret)}/versions/{version}"


def _check(secret: str, value: Secret[bytes]) -> None:
    if not _NAME.fullmatch(secret):
        raise InvalidInput("secret", "malformed", "Use 1 to 255 letters, digits, '_' and '-'")
    size = len(value.reveal())
    if not 1 <= size <= MOST_BYTES:
        raise InvalidInput("value", f"not 1 to {MOST_BYTES} bytes", "Store a reference to what is larger")


def _number(name: str) -> int:
    return int(name.rpartition("/")[2])


def _missing(secret: str) -> SecretMissing:
    return SecretMissing(f"no such version of secret {secret!r}, or it was destroyed: add a new version")


@contextmanager
def _missing_if_absent(secret: str) -> Iterator[None]:
    from google.api_core.exceptions import NotFound

    try:
        yield
    except NotFound:
        raise _missing(secret) from None

"""Secret Manager: versions that are added, read, destroyed, and never numbered twice."""

from google.cloud.secretmanager_v1.types import (
    AccessSecretVersionRequest,
    AccessSecretVersionResponse,
    AddSecretVersionRequest,
    CreateSecretRequest,
    DestroySecretVersionRequest,
    GetSecretVersionRequest,
    ListSecretVersionsRequest,
    ListSecretVersionsResponse,
    Secret,
    SecretVersion,
)
from grpc import StatusCode

from infra.emulated.serving import Fake, Refusal

STATES = SecretVersion.State


class FakeSecretManager(Fake):
    """The secrets of one project."""

    def __init__(self):
        super().__init__(
            "google.cloud.secretmanager.v1.SecretManagerService",
            CreateSecret=(CreateSecretRequest, Secret),
            AddSecretVersion=(AddSecretVersionRequest, SecretVersion),
            GetSecretVersion=(GetSecretVersionRequest, SecretVersion),
            AccessSecretVersion=(AccessSecretVersionRequest, AccessSecretVersionResponse),
            ListSecretVersions=(ListSecretVersionsRequest, ListSecretVersionsResponse),
            DestroySecretVersion=(DestroySecretVersionRequest, SecretVersion),
        )
        self._secrets, self.created, self.accesses, self.bends = {}, [], 0, False

    def create_secret(self, request):
        """Make a secret without a version."""
        name = f"{request.parent}/secrets/{request.secret_id}"
        if name in self._secrets:
            raise Refusal(StatusCode.ALREADY_EXISTS, "Secret already exists.")
        self._secrets[name] = []
        self.created.append(request)
        return Secret(name=name)

    def add_secret_version(self, request):
        """Add a version; an empty payload is refused as the service refuses it."""
        versions = self._versions(request.parent)
        if not request.payload.data:
            raise Refusal(StatusCode.INVALID_ARGUMENT, "Secret Payload cannot be empty.")
        made = SecretVersion(name=f"{request.parent}/versions/{len(versions) + 1}", state=STATES.ENABLED)
        versions.append((made, request.payload))
        return made

    def get_secret_version(self, request):
        """Describe a version."""
        return self._found(request.name)[0]

    def access_secret_version(self, request):
        """Read a version; `latest` is the last one made, whatever became of it."""
        self.accesses += 1
        version, payload = self._found(request.name)
        if version.state != STATES.ENABLED:
            raise Refusal(StatusCode.FAILED_PRECONDITION, f"{version.name} is in {version.state.name} state.")
        if self.bends:
            payload = type(payload)(data=payload.data[:-1], data_crc32c=payload.data_crc32c)
        return AccessSecretVersionResponse(name=version.name, payload=payload)

    def list_secret_versions(self, request):
        """List versions, the newest first."""
        assert request.filter in {"", "state:ENABLED"}
        found = [version for version, _ in reversed(self._versions(request.parent))]
        if request.filter:
            found = [version for version in found if version.state == STATES.ENABLED]
        size = request.page_size or len(found)
        return ListSecretVersionsResponse(versions=found[:size], next_page_token="more" * (len(found) > size))

    def destroy_secret_version(self, request):
        """Destroy a version, once."""
        version, payload = self._found(request.name)
        if version.state == STATES.DESTROYED:
            raise Refusal(StatusCode.FAILED_PRECONDITION, f"{version.name} is in DESTROYED state.")
        version.state = STATES.DESTROYED
        payload.data = b""
        return version

    def _versions(self, name):
        if name not in self._secrets:
            raise Refusal(StatusCode.NOT_FOUND, f"Secret [{name}] not found.")
        return self._secrets[name]

    def _found(self, name):
        secret, _, number = name.partition("/versions/")
        versions = self._versions(secret)
        place = len(versions) if number == "latest" else int(number)
        if not 1 <= place <= len(versions):
            raise Refusal(StatusCode.NOT_FOUND, f"Secret Version [{name}] not found.")
        return versions[place - 1]

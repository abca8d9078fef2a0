"""The key ring on Cloud KMS: a key per purpose, which wraps data keys and never leaves."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from shared.domain.errors import InvalidInput
from shared.domain.secret import Secret
from shared.gcp.clients import Connect
from shared.gcp.crc32c import crc32c
from shared.gcp.settings import GoogleSettings
from shared.ports.vault import PurposeRefused, SealBroken

DATA_KEY_BYTES: Final = 32
TIMEOUT_SECONDS: Final = 20.0
_BENT: Final = "a key was bent on its way to or from Cloud KMS: try again"


@dataclass(frozen=True, slots=True)
class Wrapped:
    """A data key as only KMS can read it, and the version of the key that wrapped it."""

    version: int
    data: bytes


class KeyRing:
    """Wraps and unwraps, and checks both ways that no bit was lost: what a bent key seals, nobody opens."""

    def __init__(self, connect: Connect, settings: GoogleSettings) -> None:
        self._connect = connect
        place = f"projects/{settings.project}/locations/{settings.key_location}"
        self._ring = f"{place}/keyRings/{settings.key_ring}"

    def name_of(self, purpose: str) -> str:
        """Return the resource name of a purpose's key."""
        return f"{self._ring}/cryptoKeys/{purpose}"

    async def wrap(self, purpose: str, material: Secret[bytes]) -> Wrapped:
        """Wrap a data key with the newest version of the purpose's key."""
        plain, bound = material.reveal(), _bound(purpose)
        request = {
            "name": self.name_of(purpose),
            "plaintext": plain,
            "plaintext_crc32c": crc32c(plain),
            "additional_authenticated_data": bound,
            "additional_authenticated_data_crc32c": crc32c(bound),
        }
        with _told(purpose):
            answer = await self._connect().encrypt(request, timeout=TIMEOUT_SECONDS)
        received = answer.verified_plaintext_crc32c and answer.verified_additional_authenticated_data_crc32c
        wrapped = bytes(answer.ciphertext)
        if not received or answer.ciphertext_crc32c != crc32c(wrapped):
            raise ConnectionError(_BENT)
        return Wrapped(int(answer.name.rpartition("/")[2]), wrapped)

    async def unwrap(self, purpose: str, wrapped: Wrapped) -> Secret[bytes]:
        """Unwrap a data key, or raise SealBroken or PurposeRefused."""
        bound = _bound(purpose)
        request = {
            "name": self.name_of(purpose),
            "ciphertext": wrapped.data,
            "ciphertext_crc32c": crc32c(wrapped.data),
            "additional_authenticated_data": bound,
            "additional_authenticated_data_crc32c": crc32c(bound),
        }
        with _told(purpose):
            answer = await self._connect().decrypt(request, timeout=TIMEOUT_SECONDS)
        plain = bytes(answer.plaintext)
        if answer.plaintext_crc32c != crc32c(plain):
            raise ConnectionError(_BENT)
        if len(plain) != DATA_KEY_BYTES:
            raise SealBroken("the wrapped key is not one of ours")
        return Secret(plain)


def _bound(purpose: str) -> bytes:
    return b"keyfleet data key for " + purpose.encode()


@contextmanager
def _told(purpose: str) -> Iterator[None]:
    from google.api_core import exceptions

    try:
        yield
    except exceptions.PermissionDenied:
        raise PurposeRefused(
            f"Cloud KMS denies this function the key of {purpose}: grant its service account the role"
        ) from None
    except exceptions.NotFound:
        raise InvalidInput(
            "purpose", "has no key in the key ring", "Declare it, and apply Terraform"
        ) from None
    except exceptions.InvalidArgument:
        raise SealBroken(
            "Cloud KMS cannot unwrap this data key: it was altered, or is another key's"
        ) from None
    except exceptions.FailedPrecondition:
        raise SealBroken(f"the key of {purpose} is disabled or destroyed in this version") from None

"""Cloud KMS: a symmetric key for each name, derived from the home's own: the same at each start."""

import hashlib
from typing import Any, Final

from google.cloud.kms_v1.types import DecryptRequest, DecryptResponse, EncryptRequest, EncryptResponse
from grpc import StatusCode
from nacl.exceptions import CryptoError
from nacl.secret import Aead

from infra.emulated.serving import Fake, Refusal
from shared.gcp.crc32c import crc32c
from shared.ports.ambient import Entropy

ONLY_VERSION: Final = 1


class EmulatedKms(Fake):
    """The key ring of one project: who may use which key is held by the ports, as IAM would."""

    def __init__(self, seed: bytes, entropy: Entropy) -> None:
        super().__init__(
            "google.cloud.kms.v1.KeyManagementService",
            Encrypt=(EncryptRequest, EncryptResponse),
            Decrypt=(DecryptRequest, DecryptResponse),
        )
        self._seed, self._entropy = seed, entropy

    def encrypt(self, request: Any) -> Any:
        """Encrypt with the one version."""
        _check(request.plaintext, request.plaintext_crc32c)
        box, bound = self._box(request), request.additional_authenticated_data
        ciphertext = bytes(box.encrypt(request.plaintext, bound, self._entropy.token(Aead.NONCE_SIZE)))
        return EncryptResponse(
            name=f"{request.name}/cryptoKeyVersions/{ONLY_VERSION}",
            ciphertext=ciphertext,
            ciphertext_crc32c=crc32c(ciphertext),
            verified_plaintext_crc32c=True,
            verified_additional_authenticated_data_crc32c=True,
        )

    def decrypt(self, request: Any) -> Any:
        """Decrypt what was encrypted here, under the same name and bound to the same."""
        _check(request.ciphertext, request.ciphertext_crc32c)
        try:
            box = self._box(request)
            plaintext = box.decrypt(request.ciphertext, request.additional_authenticated_data)
        except (CryptoError, TypeError, ValueError):
            words = "Decryption failed: the ciphertext is invalid."
            raise Refusal(StatusCode.INVALID_ARGUMENT, words) from None
        return DecryptResponse(plaintext=plaintext, plaintext_crc32c=crc32c(plaintext))

    def _box(self, request: Any) -> Aead:
        bound = request.additional_authenticated_data
        _check(bound, request.additional_authenticated_data_crc32c)
        return Aead(hashlib.blake2b(request.name.encode(), key=self._seed, digest_size=32).digest())


def _check(data: bytes, told: int) -> None:
    if told != crc32c(data):
        raise Refusal(StatusCode.INVALID_ARGUMENT, "The checksum did not match.")

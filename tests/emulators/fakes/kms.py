"""Cloud KMS: symmetric keys in versions, which check what they are given as the service does."""

import re
from itertools import count

from google.cloud.kms_v1.types import DecryptRequest, DecryptResponse, EncryptRequest, EncryptResponse
from grpc import StatusCode
from nacl.exceptions import CryptoError
from nacl.secret import Aead

from infra.emulated.serving import Fake, Refusal
from shared.gcp.crc32c import crc32c

KEY = re.compile(r"projects/[^/]+/locations/[^/]+/keyRings/[^/]+/cryptoKeys/([a-zA-Z0-9_-]{1,63})")


class FakeKms(Fake):
    """Every key that is asked for, but for those somebody took away; rotated and disabled by version."""

    def __init__(self):
        super().__init__(
            "google.cloud.kms.v1.KeyManagementService",
            Encrypt=(EncryptRequest, EncryptResponse),
            Decrypt=(DecryptRequest, DecryptResponse),
        )
        self.calls, self.newest = {"encrypt": 0, "decrypt": 0}, 1
        self.missing, self.denied, self.disabled, self.bends = set(), set(), set(), False
        self._nonces = count(1)

    def encrypt(self, request):
        """Encrypt with the newest version."""
        self.calls["encrypt"] += 1
        key = self._key(request)
        self._check(request.plaintext, request.plaintext_crc32c)
        nonce = next(self._nonces).to_bytes(24, "big")
        box = self._box(key, self.newest)
        sealed = box.encrypt(request.plaintext, request.additional_authenticated_data, nonce)
        ciphertext = bytes([self.newest]) + bytes(sealed)
        return EncryptResponse(
            name=f"{request.name}/cryptoKeyVersions/{self.newest}",
            ciphertext=ciphertext[:-1] if self.bends else ciphertext,
            ciphertext_crc32c=crc32c(ciphertext),
            verified_plaintext_crc32c=True,
            verified_additional_authenticated_data_crc32c=True,
        )

    def decrypt(self, request):
        """Decrypt with the version that encrypted."""
        self.calls["decrypt"] += 1
        key = self._key(request)
        self._check(request.ciphertext, request.ciphertext_crc32c)
        version, sealed = request.ciphertext[:1], request.ciphertext[1:]
        if version and version[0] in self.disabled:
            raise Refusal(StatusCode.FAILED_PRECONDITION, "The key version is not enabled.")
        try:
            plaintext = self._box(key, *version).decrypt(sealed, request.additional_authenticated_data)
        except (CryptoError, TypeError, ValueError):
            words = "Decryption failed: the ciphertext is invalid."
            raise Refusal(StatusCode.INVALID_ARGUMENT, words) from None
        return DecryptResponse(plaintext=plaintext, plaintext_crc32c=crc32c(plaintext) ^ self.bends)

    def _key(self, request):
        found = KEY.fullmatch(request.name)
        if found is None:
            raise Refusal(StatusCode.INVALID_ARGUMENT, "Malformed resource name.")
        (purpose,) = found.groups()
        if purpose in self.missing:
            raise Refusal(StatusCode.NOT_FOUND, f"CryptoKey {request.name} not found.")
        if purpose in self.denied:
            raise Refusal(StatusCode.PERMISSION_DENIED, "Permission denied on resource.")
        bound = request.additional_authenticated_data
        self._check(bound, request.additional_authenticated_data_crc32c)
        return request.name

    def _check(self, data, told):
        if told != crc32c(data):
            raise Refusal(StatusCode.INVALID_ARGUMENT, "The checksum did not match.")

    def _box(self, key, version):
        return Aead(f"{key}/{version}".encode()[-32:].rjust(32))

"""The operating system's keychain, pinned by name and tried before anything is trusted to it.

Two failures are silent in keyring: its null backend takes a secret and gives nothing back, and an
installed plaintext backend is chosen by itself. So the backend is named for each system and never searched
for, and a canary is written, read and taken away at each start. Where there is no keychain, as under
systemd, secrets come as encrypted credentials.
"""

import base64
import binascii
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, Protocol

from shared.domain.secret import Secret
from shared.ports.ambient import Entropy

SERVICE: Final = "keyfleet"
CANARY: Final = "canary"
CANARY_BYTES: Final = 16


class KeychainUnsafe(Exception):
    """There is no place on this machine where a key may be kept; the message says what to do."""


class Keychain(Protocol):
    """Where secrets are kept."""

    def get(self, name: str) -> Secret[bytes] | None:
        """Return a secret, or None."""

    def put(self, name: str, value: Secret[bytes]) -> None:
        """Keep a secret."""

    def forget(self, name: str) -> None:
        """Let go of a secret."""


class OsKeychain:
    """A backend of keyring, tried out."""

    def __init__(self, backend: Any, entropy: Entropy) -> None:
        self._backend = backend
        self._try(Secret(entropy.token(CANARY_BYTES)))

    def get(self, name: str) -> Secret[bytes] | None:
        """Return a secret, or None."""
        kept = self._backend.get_password(SERVICE, name)
        if kept is None:
            return None
        try:
            return Secret(base64.b64decode(kept, validate=True))
        except (binascii.Error, ValueError):
            raise KeychainUnsafe(f"the keychain's entry {name} is not ours: remove it, pair anew") from None

    def put(self, name: str, value: Secret[bytes]) -> None:
        """Keep a secret."""
        self._backend.set_password(SERVICE, name, base64.b64encode(value.reveal()).decode())

    def forget(self, name: str) -> None:
        """Let go of a secret."""
        if self._backend.get_password(SERVICE, name) is not None:
            self._backend.delete_password(SERVICE, name)

    def _try(self, canary: Secret[bytes]) -> None:
        self.put(CANARY, canary)
        held = self.get(CANARY)
        self.forget(CANARY)
        if held != canary or self.get(CANARY) is not None:
            raise KeychainUnsafe("the keychain does not give back what it was given: unlock it, try again")


class CredentialFolder:
    """Secrets that systemd decrypted for this service alone; put there by `systemd-creds encrypt`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, name: str) -> Secret[bytes] | None:
        """Return a secret, or None."""
        path = self._folder / name
        return Secret(path.read_bytes()) if path.is_file() else None

    def put(self, name: str, _: Secret[bytes]) -> None:
        """Refuse: what is written here would lie in the clear, and be gone with the service."""
        raise KeychainUnsafe(
            f"give {name} to the service with systemd-creds encrypt and LoadCredentialEncrypted"
        )

    def forget(self, name: str) -> None:
        """Refuse, for the same reason."""
        raise KeychainUnsafe(f"take {name} out of the service's LoadCredentialEncrypted")


def _secret_service() -> Any:
    from keyring.backends.SecretService import Keyring

    return Keyring()


def _macos() -> Any:
    from keyring.backends.macOS import Keyring

    return Keyring()


def _windows() -> Any:
    from keyring.backends.Windows import WinVaultKeyring

    return WinVaultKeyring()


BACKENDS: Final[Mapping[str, Callable[[], Any]]] = {
    "darwin": _macos,
    "linux": _secret_service,
    "win32": _windows,
}


def open_keychain(
    system: str,
    credentials: str | None,
    entropy: Entropy,
    backends: Mapping[str, Callable[[], Any]] = BACKENDS,
) -> Keychain:
    """Return this machine's keychain, tried out, or raise KeychainUnsafe; there is no fallback to a file."""
    if credentials:
        return CredentialFolder(Path(credentials))
    if system not in backends:
        raise KeychainUnsafe(f"no keychain is known for {system}: run the desk under systemd")
    try:
        return OsKeychain(backends[system](), entropy)
    except KeychainUnsafe:
        raise
    except Exception as error:
        raise KeychainUnsafe(
            "this session has no keychain: sign in, or run the desk under systemd"
        ) from error

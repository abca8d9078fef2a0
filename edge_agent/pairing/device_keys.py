"""A desk's own keys: made on the device by its generator, kept in the keychain, never sent and never on disk.

The device key signs what the desk tells; its public half stands in the certificate. The ledger key opens
the ledger. Wiping the desk forgets both, and what is left on the disk is noise.
"""

from dataclasses import dataclass
from typing import Final

from nacl.signing import SigningKey

from edge_agent.pairing.keychain import Keychain, KeychainUnsafe
from shared.domain.secret import Secret
from shared.ports.ambient import Entropy

DEVICE_KEY, LEDGER_KEY = "device-key", "ledger-key"
KEY_BYTES: Final = 32


@dataclass(frozen=True, slots=True)
class DeviceKeys:
    """The desk's keys, hidden."""

    device: Secret[bytes]
    ledger: Secret[bytes]

    @property
    def signing(self) -> SigningKey:
        """The key that signs."""
        return SigningKey(self.device.reveal())

    @property
    def public(self) -> bytes:
        """What the certificate names."""
        return bytes(self.signing.verify_key)


def make_keys(keychain: Keychain, entropy: Entropy) -> DeviceKeys:
    """Make a desk's keys at pairing; refuse where it has some, for they may still open a ledger."""
    for name in (DEVICE_KEY, LEDGER_KEY):
        if keychain.get(name) is not None:
            raise KeychainUnsafe("this machine is paired already: wipe it before it is paired anew")
    for name in (DEVICE_KEY, LEDGER_KEY):
        keychain.put(name, Secret(entropy.token(KEY_BYTES)))
    return held_keys(keychain)


def held_keys(keychain: Keychain) -> DeviceKeys:
    """Return the keys of a paired desk, or raise KeychainUnsafe."""
    device, ledger = keychain.get(DEVICE_KEY), keychain.get(LEDGER_KEY)
    if device is None or ledger is None:
        raise KeychainUnsafe("this machine is not paired: keyfleet-edge pair")
    if {len(device.reveal()), len(ledger.reveal())} != {KEY_BYTES}:
        raise KeychainUnsafe("the keychain's keys are damaged: wipe the desk and pair it anew")
    return DeviceKeys(device, ledger)


def forget_keys(keychain: Keychain) -> None:
    """Forget the keys of a desk that is wiped, the ledger's first: a crash leaves nothing that opens it."""
    for name in (LEDGER_KEY, DEVICE_KEY):
        keychain.forget(name)

"""Pairing, from the machine's side: keys first, then the code, then all that the cloud says of the desk.

1. The machine makes its keys in the keychain. Those of a pairing that broke off are taken again.
2. The code goes to the cloud with the public key, and a signature that proves the private one.
3. What comes back is proved and kept in one commit. Until then the same code may be shown again: the cloud's
   answer to the same key is the same.
"""

import base64
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from edge_agent.cloud.line import Introducing
from edge_agent.ledger.file import destroy_file
from edge_agent.ledger.ledger import DeskLedger
from edge_agent.pairing.device_keys import DEVICE_KEY, DeviceKeys, forget_keys, held_keys, make_keys
from edge_agent.pairing.identity import FIELDS, SETTING, DeskIdentity
from edge_agent.pairing.keychain import Keychain, KeychainUnsafe
from shared.offline.certificate import OfflineCertificate
from shared.offline.signing import message
from shared.ports.ambient import Entropy

PATH: Final = "/edge/v1/pair"
PURPOSE: Final = "keyfleet desk pairing"
LEDGER: Final = "desk.db"
CERTIFICATE: Final = "certificate"


@dataclass(frozen=True, slots=True)
class Machine:
    """Where a desk's keys and its ledger are, on this machine."""

    home: Path
    keychain: Keychain
    entropy: Entropy

    @property
    def ledger(self) -> Path:
        """The ledger's file."""
        return self.home / LEDGER

    def open_ledger(self) -> DeskLedger:
        """Open the ledger of a paired desk, or of one that is about to be."""
        return DeskLedger(self.ledger, held_keys(self.keychain).ledger, self.entropy)


async def pair(machine: Machine, cloud: Introducing, tenant: str, code: str) -> DeskIdentity:
    """Make a desk of this machine, and return who it is now."""
    machine.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    keys = _keys(machine)
    ledger = machine.open_ledger()
    try:
        if ledger.settings.get(SETTING) is not None:
            raise KeychainUnsafe("this machine is paired already: wipe it before it is paired anew")
        told = await cloud.ask(PATH, _asked(keys, tenant, code))
        _keep(ledger, told, cloud.address, keys)
        return DeskIdentity.in_ledger(ledger)
    finally:
        ledger.close()


def wipe(machine: Machine) -> None:
    """Forget that this machine was a desk: the keys first, for without them the file is noise."""
    forget_keys(machine.keychain)
    destroy_file(machine.ledger)


def _keys(machine: Machine) -> DeviceKeys:
    if machine.keychain.get(DEVICE_KEY) is None:
        return make_keys(machine.keychain, machine.entropy)
    return held_keys(machine.keychain)


def _asked(keys: DeviceKeys, tenant: str, code: str) -> dict[str, str]:
    told = {"tenant": tenant, "code": code, "key": base64.b64encode(keys.public).decode()}
    signature = keys.signing.sign(message(PURPOSE, told)).signature
    return {**told, "signature": base64.b64encode(signature).decode()}


def _keep(ledger: DeskLedger, told: dict[str, Any], cloud: str, keys: DeviceKeys) -> None:
    identity = {"cloud": cloud, **{name: told[name] for name in FIELDS}}
    known = DeskIdentity.of(identity)
    certificate = OfflineCertificate.open(told["certificate"].encode(), known.certificates)
    if certificate.device_key != keys.public or certificate.device != known.device:
        raise KeychainUnsafe("the cloud certified another device: pair anew with a new code")
    ledger.settings.put(identity=json.dumps(identity), certificate=told["certificate"])

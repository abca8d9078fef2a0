"""A desk's agent as a process of its own: it writes one job, and may be killed."""

import asyncio
import json
import sys
from pathlib import Path
from types import SimpleNamespace

from nacl.signing import SigningKey

from edge_agent.cloud.line import CloudLine, DeskOnLine
from edge_agent.hardware.cards.keycard import Desk
from edge_agent.hardware.cards.keys import KeyMaterial
from edge_agent.hardware.encoders.encoder import DeskOfEncoders, Encoder
from edge_agent.hardware.encoders.models import MODELS, EncoderSetup
from edge_agent.hardware.encoders.usb import Sighting, Transport
from edge_agent.ledger.ledger import LedgerThread
from edge_agent.relay.encode import JobWriter
from edge_agent.relay.jobs import JobPost
from infra.local.ambient import SystemEntropy
from shared.domain.secret import Secret
from shared.kernel.ids import DrawnIds
from shared.vendor_kit.http import Answer
from tests.edge.issuing.scene import CARDS, CERTIFICATE, MATERIAL, NOW, USB

LEDGER_KEY = Secret(bytes(32))
JOB = {
    "job": "job_1",
    "vendor": "generic-wiegand",
    "dialect": "encoder",
    "kind": "rfid_card",
    "doors": ["rmu_204"],
    "rooms": ["rmu_204"],
    "starts": "2026-11-19T18:00:00Z",
    "ends": "2026-11-21T08:00:00Z",
    "number": 1763580600000,
    "overrides": True,
    "reservationId": "rsv_1",
    "localIds": [],
}


class Yes:
    """A cloud that takes every step, as the last that it was told."""

    async def send(self, call):
        state = json.loads(call.body)["state"]
        return Answer(200, {}, json.dumps({"state": state}).encode())


async def write(ledger, port):
    """Write the job's card, in one of the agent's lives."""
    entropy = SystemEntropy()
    clock = SimpleNamespace(now=lambda: NOW)
    ids = DrawnIds(clock.now, entropy.token)
    thread = LedgerThread(Path(ledger), LEDGER_KEY, entropy)
    await thread.run(lambda it: it.jobs.take(JOB))
    whose = DeskOfEncoders(CERTIFICATE.property_id, CERTIFICATE.device, clock, ids, lambda fact: None)
    seen = [Sighting(USB, Transport.SERIAL, port)]
    encoder = Encoder(EncoderSetup("left", MODELS["pn532_serial"], USB), whose, lambda: seen)
    cards = Desk(KeyMaterial(1, Secret(MATERIAL)), CARDS, (CARDS.verify_key,))
    who = DeskOnLine(CERTIFICATE.tenant, CERTIFICATE.device, SigningKey(bytes(32)), clock, entropy)
    post = JobPost(CloudLine(Yes(), "http://127.0.0.1", who), thread)
    await JobWriter(post, thread, encoder, cards, CERTIFICATE.property_id).write("job_1")
    await encoder.close()
    await thread.close()


if __name__ == "__main__":
    asyncio.run(write(*sys.argv[1:]))

"""A desk's agent as a process of its own: it makes one key at somebody's encoder, and may be killed."""

import asyncio
import sys
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

from edge_agent.hardware.cards.keycard import Desk
from edge_agent.hardware.cards.keys import KeyMaterial
from edge_agent.hardware.encoders.encoder import DeskOfEncoders, Encoder
from edge_agent.hardware.encoders.models import MODELS, EncoderSetup
from edge_agent.hardware.encoders.usb import Sighting, Transport
from edge_agent.issuing.desk import DeskHands, OfflineDesk
from edge_agent.issuing.makers import CardMaker
from edge_agent.ledger.ledger import LedgerThread
from infra.local.ambient import SystemEntropy
from shared.domain.secret import Secret
from shared.kernel.ids import DrawnIds
from tests.edge.issuing.scene import CARDS, CERTIFICATE, DEVICE, MATERIAL, NOW, STANDING, USB, WISH

LEDGER_KEY = Secret(bytes(32))


async def issue(ledger, port, life):
    """Make the key of the wish, in one of the agent's lives."""
    # Each life begins later than the one before, as time does.
    now = NOW + timedelta(minutes=int(life))
    entropy = SystemEntropy()
    clock, ids = SimpleNamespace(now=lambda: now), DrawnIds(lambda: now, entropy.token)
    thread = LedgerThread(Path(ledger), LEDGER_KEY, entropy)
    whose = DeskOfEncoders(CERTIFICATE.property_id, CERTIFICATE.device, clock, ids, lambda fact: None)
    seen = [Sighting(USB, Transport.SERIAL, port)]
    encoder = Encoder(EncoderSetup("left", MODELS["pn532_serial"], USB), whose, lambda: seen)
    cards = Desk(KeyMaterial(1, Secret(MATERIAL)), CARDS, (CARDS.verify_key,))
    desk = OfflineDesk(DeskHands(thread, DEVICE, clock, ids))
    key = await desk.issue(WISH, STANDING, CardMaker(encoder, cards, ids, thread))
    await encoder.close()
    await thread.close()
    return key


if __name__ == "__main__":
    asyncio.run(issue(*sys.argv[1:]))

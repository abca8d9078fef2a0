"""A desk of the sample hotel with its whole agent, in virtual time: a ledger on disk, a simulated encoder."""

import asyncio

from edge_agent.agent.wiring import AgentParts, wired
from edge_agent.cloud.line import Introducing
from edge_agent.hardware.pn532.chip import Pn532Chip
from edge_agent.hardware.pn532.reader import Pn532Reader
from edge_agent.pairing.identity import DeskIdentity
from edge_agent.pairing.pair import Machine, pair
from infra.local.ambient import SeededEntropy
from infra.simulators.encoders.pn532 import Pn532
from infra.simulators.key_cards.classic_card import ClassicCard
from infra.simulators.key_cards.door import Door
from shared.kernel.ids import DrawnIds
from shared.vendor_kit.http import ConnectionFailed
from tests.edge.wires import DirectLink
from tests.support.mixed_hotel import play_mixed
from tests.support.sample_hotel import KABUL, SILK


class MemoryKeychain:
    """A keychain of this process."""

    def __init__(self):
        self.kept = {}

    def get(self, name):
        return self.kept.get(name)

    def put(self, name, value):
        self.kept[name] = value

    def forget(self, name):
        self.kept.pop(name, None)


class Wire:
    """The line to the fleet, which may be pulled."""

    def __init__(self, house):
        self.house, self.down, self.lose, self.seen = house, False, set(), []

    async def send(self, call):
        path = call.url.removeprefix(self.house.fleet.config.base_url + "/edge-gateway")
        self.seen.append(path)
        if self.down:
            await asyncio.sleep(0.1)
            raise ConnectionFailed("the wire is pulled")
        answer = await self.house.fleet.means.transport.send(call)
        if path in self.lose:
            self.lose.discard(path)
            raise ConnectionFailed("the answer was lost")
        return answer


class StraightLedger:
    """The agent's ledger without its thread, which virtual time has no room for."""

    def __init__(self, ledger):
        self.ledger = ledger

    async def run(self, work):
        return work(self.ledger)

    async def close(self):
        self.ledger.close()


class BenchEncoder:
    """One encoder, in reach of this process."""

    def __init__(self, plastic=None):
        self.device = Pn532(plastic)
        self.reader, self.there = None, True

    async def plugged(self):
        return self.there

    async def run(self, job):
        if self.reader is None:
            chip = Pn532Chip(DirectLink(self.device))
            await chip.wake()
            self.reader = Pn532Reader(chip)
        return await job(self.reader)

    async def close(self):
        self.reader = None


class PairedDesk:
    """A machine at the hotel's desk, from its pairing on."""

    def __init__(self, house, home, entropy=7):
        self.house, self.wire, self.encoder = house, Wire(house), BenchEncoder()
        self.entropy = SeededEntropy(entropy)
        self.machine = Machine(home, MemoryKeychain(), self.entropy)
        self.clock = house.fleet.platform.clock
        self.agent = None

    @property
    def address(self):
        return f"{self.house.fleet.config.base_url}/edge-gateway"

    async def order(self, **what):
        """Order something of desks, as an operator."""
        body = {"tenant": SILK, "property": KABUL, "by": "usr_gm", **what}
        status, said = await self.house.on.send("desk-orders", body, caller="operator")
        return said if status == 200 else (status, said)

    async def pair(self, code=None):
        """Pair, with a code of its own unless another is given."""
        if code is None:
            code = (await self.order(do="invite", name="Front desk"))["code"]
        await pair(self.machine, Introducing(self.wire, self.address), SILK, code)
        return self.start()

    def start(self):
        """Begin one of the agent's lives."""
        ledger = StraightLedger(self.machine.open_ledger())
        ids = DrawnIds(self.clock.now, self.entropy.token)
        parts = AgentParts(
            self.machine, ledger, self.wire, self.clock, ids, {"left": self.encoder}, asyncio.sleep
        )
        self.agent = wired(parts, DeskIdentity.in_ledger(ledger.ledger))
        return self.agent

    async def die(self):
        """Lose what is not on disk, and begin anew."""
        await self.agent.parts.ledger.close()
        await self.encoder.close()
        return self.start()

    def lay_down(self, plastic=None):
        """Lay a card on the encoder."""
        self.encoder.device.card = plastic = plastic or ClassicCard()
        return plastic

    async def door(self, room="rmu_204"):
        """Return a door of the house, which knows what its cards are written with."""
        cards = self.agent.identity.card_desk(self.agent.keys.signing)
        return Door(room, KABUL, cards.material.secret.reveal(), [bytes(cards.signing.verify_key)])


def play_desk(home, scenario, seed=0):
    """Run a scenario in the hotel of four vendors, with a machine for its desk."""

    async def story(house):
        await house.open_all_accounts()
        desk = PairedDesk(house, home / "desk")
        try:
            return await scenario(house, desk)
        finally:
            if desk.agent is not None:
                await desk.agent.parts.ledger.close()

    return play_mixed(home / "cloud", story, seed)

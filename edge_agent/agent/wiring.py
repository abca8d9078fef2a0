"""How the agent's parts hang together; nothing begins here."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final
from zoneinfo import ZoneInfo

from nacl.signing import SigningKey

from edge_agent.agent.counter import Counter
from edge_agent.cloud.line import CloudLine, DeskOnLine
from edge_agent.hardware.cards.keycard import Desk
from edge_agent.hardware.encoders.encoder import EncoderDoor
from edge_agent.hardware.errors import NotSupported
from edge_agent.hardware.property_systems.card_system import CardSystem
from edge_agent.hardware.radio import PinDoor, Radio
from edge_agent.issuing.desk import DeskHands, OfflineDesk
from edge_agent.issuing.makers import CardMaker, KeyMaker, PinMaker
from edge_agent.issuing.reach import CloudReach
from edge_agent.ledger.desk_tables import DeskJobRow
from edge_agent.ledger.ledger import LedgerDoor
from edge_agent.pairing.device_keys import DeviceKeys, held_keys
from edge_agent.pairing.identity import DeskIdentity
from edge_agent.pairing.pair import Machine
from edge_agent.relay.by_radio import RadioWriter
from edge_agent.relay.by_system import SystemWriter
from edge_agent.relay.encode import JobWriter
from edge_agent.relay.jobs import JobPost
from edge_agent.sync.lock_news import LockNews
from edge_agent.sync.outbox import OutboxPost
from edge_agent.sync.papers import DeskPapers
from edge_agent.sync.witness import DeskWitness
from shared.domain.kinds import KeyCredentialKind
from shared.offline.arrivals import ArrivalsPack
from shared.offline.radio_locks import opened_by
from shared.ports.ambient import Clock, Ids
from shared.vendor_kit.http import Http

Sleep = Callable[[float], Awaitable[Any]]
OURS: Final = "encoder"
"""The dialect of the cards that this desk writes by itself."""


@dataclass(frozen=True, slots=True)
class AgentParts:
    """What an agent is made of."""

    machine: Machine
    ledger: LedgerDoor
    http: Http
    clock: Clock
    ids: Ids
    encoders: Mapping[str, EncoderDoor]
    sleep: Sleep
    systems: Mapping[str, CardSystem] = field(default_factory=dict)
    """The hotel's lock systems that write cards, by dialect."""
    radio: Radio | None = None
    """Bluetooth, where this machine has it and somebody said so."""


@dataclass(frozen=True, slots=True)
class DeskAgent:
    """A paired desk, ready to work."""

    parts: AgentParts
    identity: DeskIdentity
    keys: DeviceKeys
    line: CloudLine
    reach: CloudReach
    post: JobPost
    offline: OfflineDesk
    cards: Desk
    papers: DeskPapers
    outbox: OutboxPost
    witness: DeskWitness
    counter: Counter
    lock_news: LockNews

    @property
    def device(self) -> SigningKey:
        """The key that signs what the desk tells."""
        return self.keys.signing

    def writer(self, encoder: str) -> JobWriter:
        """Return what writes the cards of jobs on an encoder."""
        at = self.parts.encoders[encoder]
        return JobWriter(self.post, self.parts.ledger, at, self.cards, self.identity.property_id)

    def radio_writer(self, pack: ArrivalsPack) -> RadioWriter:
        """Return what does the jobs of locks in the radio's reach."""
        return RadioWriter(
            self.post, self.parts.ledger, self.pin_doors(pack), partial(opened_by, self.device)
        )

    def pin_doors(self, pack: ArrivalsPack) -> Mapping[str, PinDoor]:
        """Return the doors in the radio's reach: none by a clock that is untrue, which a visit would set."""
        if self.parts.radio is None or self.line.clock_is_untrue:
            return {}
        return self.parts.radio.doors(pack, self.lock_news.heard)

    def writer_of(self, row: DeskJobRow, encoder: str) -> JobWriter | SystemWriter:
        """Return what writes a job's card, or raise NotSupported: another desk of the property may."""
        dialect = row.document["dialect"]
        if dialect == OURS:
            return self.writer(encoder)
        system = self.parts.systems.get(dialect)
        if system is None:
            raise NotSupported("this desk has no line to the lock system that writes this card")
        return SystemWriter(self.post, self.parts.ledger, system, ZoneInfo(self.identity.zone))

    def maker_of(self, kind: KeyCredentialKind, pack: ArrivalsPack) -> KeyMaker | None:
        """Return what makes a kind of key here, while the desk is alone; None where nothing does."""
        if kind is KeyCredentialKind.PIN_CODE:
            return self._pin_maker(pack)
        encoder = next(iter(self.parts.encoders), None)
        return None if encoder is None else self.card_maker(encoder, pack)

    def _pin_maker(self, pack: ArrivalsPack) -> PinMaker | None:
        doors = self.pin_doors(pack)
        vendors = {lock.vendor for lock in pack.radio if lock.door in doors}
        if len(vendors) != 1:
            return None
        return PinMaker(vendors.pop(), doors, self.parts.machine.entropy, pack.doors_of)

    def card_maker(self, encoder: str, pack: ArrivalsPack) -> CardMaker:
        """Return what makes cards on an encoder while the desk is alone."""
        at, parts = self.parts.encoders[encoder], self.parts
        return CardMaker(at, self.cards, parts.ids, parts.ledger, pack.doors_of, pack.newest_card)


def wired(parts: AgentParts, identity: DeskIdentity) -> DeskAgent:
    """Return the agent of a paired desk."""
    keys = held_keys(parts.machine.keychain)
    desk = DeskOnLine(identity.tenant, identity.device, keys.signing, parts.clock, parts.machine.entropy)
    line = CloudLine(parts.http, identity.cloud, desk)
    offline = OfflineDesk(DeskHands(parts.ledger, keys.signing, parts.clock, parts.ids))
    return DeskAgent(
        parts=parts,
        identity=identity,
        keys=keys,
        line=line,
        reach=CloudReach(line.alive, parts.clock),
        post=JobPost(line, parts.ledger),
        offline=offline,
        cards=identity.card_desk(keys.signing),
        papers=DeskPapers(line, parts.ledger, identity, keys.public, parts.clock),
        outbox=OutboxPost(line, parts.ledger, offline),
        counter=Counter(line, parts.ledger, parts.clock, parts.machine.entropy),
        lock_news=LockNews(parts.ledger, keys.signing),
        witness=DeskWitness(line, parts.ledger, identity.device, keys.signing, parts.clock),
    )

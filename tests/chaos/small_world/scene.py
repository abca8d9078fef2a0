"""What is left when a schedule is over: stays, documents, messages, executions, and the keys in the locks."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import orjson

from shared.domain.core import Guest
from shared.domain.credential import KeyCredential
from shared.domain.documents import from_document
from shared.domain.grant import Grant
from shared.domain.kinds import FailureReason, RevokeReason
from shared.domain.states import Failed, Revoked
from shared.keywork.revival import CURABLE
from tests.chaos.small_world.bus import Published
from tests.chaos.small_world.staff import Household
from tests.chaos.small_world.stays import Stay

TENANT = "tnt_silk"


@dataclass(frozen=True, slots=True)
class KeyAtDoor:
    """A key as it is found in a lock, by whoever goes there and looks."""

    device: str
    name: str
    secret: str
    end: object


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything that is left when a schedule is over."""

    stays: list[Stay]
    documents: dict
    log: list[Published]
    acked: dict[int, float]
    pushed: dict[int, float]
    given_up: list[Published]
    at_doors: list[KeyAtDoor]
    ever_at_doors: list[str]
    doors_of: dict[str, set[str]]
    sealed_pins: dict
    hidden: Iterable[str]
    words: str
    arguments: str
    endless: list[str]
    verdicts: list[tuple[str, int, str]]
    """Of every execution that returned: for which key, of which generation, with which outcome."""
    household: Household

    @property
    def closed(self):
        """Whether the hotel closed."""
        return self.household.closing is not None

    def rows(self, collection):
        """Return the documents of a collection, by id."""
        return {id_: row.values for id_, row in self.documents.get((TENANT, collection), {}).items()}


@dataclass(frozen=True, slots=True)
class Key:
    """A credential with all that belongs to it."""

    credential: KeyCredential
    entry: dict
    grants: list[Grant]
    told: list[dict]

    @property
    def id(self):
        return str(self.credential.id)

    @property
    def state(self):
        return self.credential.state

    @property
    def then(self):
        """The stay that has it after the one that it is of, as its entry says it."""
        return self.entry.get("then")

    @property
    def handed_over(self):
        """Whether it was told to be the next stay's by now."""
        return any(
            "reservationId" in orjson.loads(row["body"])["data"].get("changes", {}) for row in self.told
        )

    @property
    def let_go(self):
        """Whether another key was requested in place of this one, which failed."""
        return isinstance(self.state, Failed) and self.entry.get("revival", {}).get("let_go", False)

    @property
    def lost(self):
        """Whether somebody had it replaced."""
        state = self.state
        revoked = isinstance(state, Revoked) and state.reason is RevokeReason.LOST
        return revoked or (isinstance(state, Failed) and state.reason is FailureReason.LOST)

    @property
    def refused(self):
        """Whether another stands in its place, for a lock refused its PIN when it was to move or to wake."""
        state = self.state
        return (
            isinstance(state, Revoked)
            and state.reason is RevokeReason.REPLACED
            and state.replaced_by is not None
        )

    @property
    def awaited(self):
        """Whether somebody looks still when another key is to be requested in place of this one."""
        wanted = isinstance(self.credential.core.holder, Guest) and not self.let_go
        return isinstance(self.state, Failed) and self.state.reason in CURABLE and wanted


def keys_of(scene: Scene) -> list[Key]:
    """Return every key of the ledger with what belongs to it."""
    grants, told = defaultdict(list), defaultdict(list)
    for row in scene.rows("grants").values():
        grants[row["credential_id"]].append(from_document(Grant, row["grant"]))
    for row in scene.rows("outbox").values():
        told[row["aggregateId"]].append(row)
    return [
        Key(
            from_document(KeyCredential, entry["credential"]),
            entry,
            grants.get(id_, []),
            sorted(told.get(id_, []), key=lambda row: row["sequence"]),
        )
        for id_, entry in scene.rows("credentials").items()
    ]

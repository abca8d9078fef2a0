"""This desk as a witness of the cell's audit log (A §13.4): it remembers, and cosigns what continues that.

1. The cloud is asked for the last checkpoint, and the proof from the size that we remember.
2. What continues it is kept, and only then signed: a crash between the two costs a line, never two histories.
3. A log that is behind what we saw, or another, is not signed; a signed row of our outbox says so, and the
   cloud wakes somebody. Whoever wrote the history anew has to take that row out of our chain as well.

Our key under these lines is the device key; what it signs here begins with `cosignature/v1`, as nothing else.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from nacl.exceptions import BadSignatureError
from nacl.signing import SigningKey, VerifyKey

from edge_agent.cloud.line import CloudLine, CloudRefused
from edge_agent.issuing import facts
from edge_agent.ledger.chain import LocalFact
from edge_agent.ledger.ledger import DeskLedger, LedgerDoor
from shared.audit.checkpoint import Checkpoint, cosignature
from shared.audit.errors import AuditError
from shared.audit.notes import SignatureType, VerifierKey
from shared.audit.witness import Verdict, judge
from shared.ports.ambient import Clock

REQUEST_PATH, COSIGN_PATH = "/edge/v1/witness/request", "/edge/v1/witness/cosign"
SETTING: Final = "witnessed"
NOTHING_CLOSED: Final = "date"
BEHIND: Final = "old"


@dataclass(frozen=True, slots=True)
class DeskWitness:
    """Cosigns the cell's log."""

    line: CloudLine
    ledger: LedgerDoor
    device: str
    signing: SigningKey
    clock: Clock

    @property
    def key(self) -> VerifierKey:
        """By which readers of the log know our lines."""
        public = bytes(self.signing.verify_key)
        return VerifierKey(f"desk/{self.device}", public, SignatureType.COSIGNATURE)

    async def cosign(self) -> str | None:
        """Cosign what the log has become, and return its day; None where there is no log, or not ours."""
        known = await self.ledger.run(_known)
        last = None if known is None else Checkpoint.parse(known)
        try:
            told = await self._asked(0 if last is None else last.size)
        except CloudRefused as refusal:
            if refusal.reason == NOTHING_CLOSED and last is None:
                return None
            await self._alarmed("behind" if refusal.reason == BEHIND else refusal.reason)
            return None
        verdict = self._judged(told, last)
        if verdict.keep is None:
            await self._alarmed("another_history")
            return None
        await self.ledger.run(partial(_keep, text=verdict.keep.text))
        if not told["trusted"]:
            return str(told["date"])  # remembered all the same, which is what finds a fork
        now = int((self.clock.now() + self.line.ahead).timestamp())
        assert verdict.note is not None  # noqa: S101 - what is kept was on a note
        signed = cosignature(verdict.note.text, now, self.key, lambda it: self.signing.sign(it).signature)
        await self.line.ask(COSIGN_PATH, {"date": told["date"], "line": str(signed)})
        return str(told["date"])

    async def _asked(self, old: int) -> dict[str, Any]:
        return await self.line.ask(REQUEST_PATH, {"old": old, "key": str(self.key)})

    def _judged(self, told: Mapping[str, Any], last: Checkpoint | None) -> Verdict:
        keys = [VerifierKey.parse(each) for each in told["keys"]]
        try:
            return judge(str(told["request"]).encode(), lambda _: keys, lambda _: last, _signed_by)
        except AuditError as odd:
            return Verdict(422, str(odd))

    async def _alarmed(self, reason: str) -> None:
        fact = facts.fork_seen(reason, self.clock.now(), self.signing)
        known = await self.ledger.run(lambda it: it.settings.get("fork_told"))
        if known != reason:
            await self.ledger.run(partial(_tell_once, fact=fact, reason=reason))


def _known(ledger: DeskLedger) -> str | None:
    return ledger.settings.get(SETTING)


def _keep(ledger: DeskLedger, text: str) -> None:
    ledger.settings.put(witnessed=text)


def _tell_once(ledger: DeskLedger, fact: LocalFact, reason: str) -> None:
    ledger.tell(fact)
    ledger.settings.put(fork_told=reason)


def _signed_by(public_key: bytes, message: bytes, signature: bytes) -> bool:
    try:
        VerifyKey(public_key).verify(message, signature)
    except (BadSignatureError, ValueError):
        return False
    return True

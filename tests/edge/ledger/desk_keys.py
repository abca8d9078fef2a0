"""Keys of a desk to test with, and a program that writes until it is killed."""

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from edge_agent.ledger.chain import LocalFact
from edge_agent.ledger.ledger import DeskLedger
from infra.local.ambient import SystemEntropy
from shared.domain.commands import Accept, Provision
from shared.domain.core import CredentialCore, Guest
from shared.domain.credential import KeyCredential
from shared.domain.ids import GuestId, PropertyId, ProvisionalKeyId, ReservationId, RoomId, TenantId
from shared.domain.kinds import ClaimKey, KeyCredentialKind, Origin
from shared.domain.plan import Choice, IssuePlan
from shared.domain.secret import Secret
from shared.domain.window import StayWindow
from tests.support.vendors import GENERIC_WIEGAND

KEY = Secret(bytes(range(32)))
NOW = datetime(2026, 11, 19, 8, tzinfo=UTC)
REFERENCE = b"04A1B2C3D4E5F6"


def pending(number):
    """Return a desk's key that is about to be encoded."""
    core = CredentialCore(
        id=ProvisionalKeyId.mint(f"{number:026d}"),
        tenant=TenantId("tnt_silk"),
        property_id=PropertyId("ppt_lake"),
        holder=Guest(GuestId("gst_1"), ReservationId("rsv_1")),
        rooms=(RoomId("rmu_204"),),
        window=StayWindow(NOW, NOW + timedelta(hours=48), "Asia/Kabul"),
        plan=IssuePlan((Choice(GENERIC_WIEGAND, KeyCredentialKind.RFID_CARD),)),
        claim=ClaimKey("sha256:" + f"{number:064x}"),
        origin=Origin.DESK,
    )
    key, _ = KeyCredential.request(core, at=NOW)
    return key.apply(Accept(at=NOW))[0]


def active(key):
    """Return the key once its card is encoded."""
    return key.apply(Provision(at=NOW))[0]


def issued(key, secret=REFERENCE):
    """Return the row that tells of it."""
    subject = "melmastoon.lock.credential.issued.local.v1"
    return LocalFact(subject, str(key.id), NOW, b'{"localId":"%b"}' % key.id.encode(), Secret(secret))


def opened(path, key=KEY):
    """Open a ledger."""
    return DeskLedger(path, key, SystemEntropy())


def say(words):
    """Say a line at once."""
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


def write_until_killed(path):
    """Issue keys without end, and say each step once it is acknowledged."""
    ledger = opened(path)
    number = 0
    while True:
        number += 1
        key = pending(number)
        ledger.begin(key.core.claim, key, NOW)
        say(f"begun {number}")
        ledger.finish(key.core.claim, active(key), issued(key))
        say(f"done {number}")


if __name__ == "__main__":
    write_until_killed(Path(sys.argv[1]))

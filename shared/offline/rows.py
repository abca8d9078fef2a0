"""What the rows of a desk's outbox are called, and what signs them is for: desk and cloud agree here."""

from typing import Final

PURPOSE: Final = "keyfleet desk fact"
SIGNATURE: Final = "deviceSig"
ISSUED: Final = "melmastoon.lock.credential.issued.local.v1"
REVOKED: Final = "melmastoon.lock.credential.revoked.local.v1"
REFUSED: Final = "melmastoon.lock.credential.refused.local.v1"
"""Ours: an attempt that was refused is audited too (A §9.3)."""
OPENED: Final = "melmastoon.lock.encoder_session.opened.v1"
CLOSED: Final = "melmastoon.lock.encoder_session.closed.v1"
FORKED: Final = "melmastoon.lock.audit.fork_seen.local.v1"
"""Ours: the cell's audit log is not what this desk remembers of it."""
READ: Final = "melmastoon.lock.device.read.local.v1"
"""Ours: what a visit by radio read of a lock, so that the cloud may tell of it (B §2.7 to 2.10)."""

"""One line of the log for each call that a vendor was made: what was asked, how it went, how long it took.

Two promises of A §15.5 are counted by it (issue.p95, vendor.error.rate), so a call that went well is told as
one that did not. What the vendor has in hand went neither way yet; what waited in line was never asked.
"""

from typing import Final

from shared.keywork.attempt import AttemptContext
from shared.keywork.rounds import Answer
from shared.ports.lock import InHand
from shared.ports.lock_causes import deferred_by_us

ASKED: Final = "a vendor was asked"
WELL: Final = "done"


def tell_of_call(task: AttemptContext, asked: str, answer: Answer) -> None:
    """Tell of one call; no word of the vendor's own, and no name of the key at its lock."""
    error = answer.error
    if isinstance(answer.outcome, InHand) or (error is not None and deferred_by_us(error)):
        return
    took = answer.answered_at - answer.asked_at
    task.services.log.info(
        ASKED,
        tenantId=task.entry.credential.tenant,
        keyCredentialId=task.entry.id,
        vendor=task.vendor,
        action=asked,
        result=WELL if error is None else error.cause.kind,
        well=error is None,
        milliseconds=round(took.total_seconds() * 1000),
    )

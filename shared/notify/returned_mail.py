"""Mail that came back, read without trust: to which addresses, and whether it says that a letter was lost.

| the report says (RFC 3464) | the word |
|---|---|
| failed, as there is no such address, or it takes nothing (5.1.x, 5.2.1) | `bounced`: it is given up |
| failed, for any other reason, the time that ran out among them | `returned`: this letter is lost |
| delayed, relayed, expanded | none: it is under way |
| delivered | `delivered` |
| nothing, as an absent guest's own program does | none |

A report may name several receivers; ours have one, so the worst word counts.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from email import message_from_bytes, message_from_string
from email.message import Message
from email.utils import getaddresses
from itertools import islice
from typing import Any, Final

LARGEST: Final = 256 * 1024
MOST_PARTS: Final = 64
MOST_NAMED: Final = 20
WORST: Final = ("bounced", "returned", "delivered")
_TO: Final = ("to", "delivered-to", "x-original-to", "envelope-to", "x-envelope-to")
_NO_ADDRESS: Final = re.compile(r"5\.(1\.\d{1,3}|2\.1)\b")
_ACTION: Final = re.compile(r"[a-z]{1,20}")


@dataclass(frozen=True, slots=True)
class ReturnedMail:
    """To which addresses a mail came, and what it says of a letter."""

    to: tuple[str, ...]
    word: str | None


NOTHING: Final = ReturnedMail((), None)


def read_returned(raw: bytes) -> ReturnedMail:
    """Read a mail; of one that nobody can read there is nothing to say."""
    if len(raw) > LARGEST:
        return NOTHING
    try:
        mail = message_from_bytes(raw)
        return ReturnedMail(tuple(_addresses(mail)), _word(mail))
    except Exception:  # noqa: BLE001 - a stranger's mail breaks the parser in ways that it does not name
        return NOTHING


def _addresses(mail: Message) -> Iterator[str]:
    headers = [str(said) for name in _TO for said in mail.get_all(name, [])]
    return (address for _, address in islice(getaddresses(headers), MOST_NAMED) if address)


def _word(mail: Message) -> str | None:
    reports = (each for each in islice(mail.walk(), MOST_PARTS) if _is_report(each))
    words = {_of_receiver(block) for report in reports for block in islice(_blocks(report), MOST_NAMED)}
    return next((each for each in WORST if each in words), None)


def _is_report(part: Message) -> bool:
    return part.get_content_type() in {"message/delivery-status", "message/global-delivery-status"}


def _blocks(report: Message) -> Iterator[Message]:
    """Yield what is said of each receiver; the parser takes the younger kind of report for one mail."""
    found: Any = report.get_payload()
    for block in found if isinstance(found, list) else ():
        yield block
        rest = block.get_payload()
        if isinstance(rest, str):
            yield from map(message_from_string, rest.replace("\r\n", "\n").split("\n\n")[:MOST_NAMED])


def _of_receiver(block: Message) -> str | None:
    action = _ACTION.match(str(block.get("action", "")).strip().lower())
    said = action[0] if action else ""
    if said == "failed":
        return "bounced" if _NO_ADDRESS.match(str(block.get("status", "")).strip()) else "returned"
    return "delivered" if said == "delivered" else None

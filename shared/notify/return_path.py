"""Return paths: the address to which a letter comes back, by which it is known again (VERP).

`bounces+EVENT.CODE@mail.hotel.example`: the code is a MAC over the letter's name, which holds its tenant, by
a key of the tenant's. Whoever never saw the envelope cannot say that a letter came back. Mail servers may
change the case of what stands before the @; so case means nothing here.
"""

import base64
import hmac
import re
from typing import Final

from shared.domain.ids import TenantId
from shared.notify.accounts import Bounces

_NOTICE: Final = re.compile(r"evt_[0-9A-Z]{26}")
_LOCAL: Final = re.compile(r"(.+)\+(evt_[0-9a-z]{26})\.([a-z2-7]{16})")
_CODE_BYTES: Final = 10


def letter_name(tenant: TenantId, notice: str) -> str:
    """Return what a notice's letter is called wherever it comes back."""
    return f"{notice}.{tenant}"


def return_path(name: str, bounces: Bounces) -> str | None:
    """Return where a letter is to come back; None of one whose notice was named by somebody else."""
    notice = name.partition(".")[0]
    if not _NOTICE.fullmatch(notice):
        return None
    local, _, domain = bounces.address.partition("@")
    return f"{local}+{notice.lower()}.{_code(name, bounces)}@{domain}"


def notice_at(address: str, tenant: TenantId, bounces: Bounces) -> str | None:
    """Return which notice's letter came back to an address; None where that is not proven."""
    said, _, domain = address.strip().strip("<>").lower().rpartition("@")
    local, _, ours = bounces.address.lower().partition("@")
    found = _LOCAL.fullmatch(said)
    if found is None or (found[1], domain) != (local, ours):
        return None
    notice = f"evt_{found[2].removeprefix('evt_').upper()}"
    expected = _code(letter_name(tenant, notice), bounces)
    return notice if hmac.compare_digest(found[3].encode(), expected.encode()) else None


def _code(name: str, bounces: Bounces) -> str:
    digest = hmac.digest(bounces.key.reveal(), b"return-path:" + name.encode(), "sha256")
    return base64.b32encode(digest[:_CODE_BYTES]).decode().lower()

"""What is brought of a company from another cell, and as whom: what is left behind, and what is refused."""

import base64
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

import orjson
from nacl.exceptions import CryptoError
from nacl.public import PrivateKey, SealedBox

from infra.local.tenancy import AUDIT
from shared.domain.errors import InvalidInput
from shared.domain.ids import TenantId
from shared.ledger.admission import RECORD
from shared.runtime.platform import Deployed, deployed

FORM: Final = 1
"""Of exports that may be brought; a newer release's may have what this one cannot read."""
AUDIT_BROUGHT: Final = frozenset({"audit_settings", "audit_streams"})
LEFT_BEHIND: Final = (AUDIT - AUDIT_BROUGHT) | {
    "account_rotations",
    "comparisons",
    "leases",
    "nudges",
    "rates",
    "suppressions",
}
"""What is of the other cell alone: its log, its locks' comparisons, and what is named by its own keys."""
WHO: Final = Deployed(
    "tenant-import",
    "",
    opens=frozenset({"*"}),
    roles=frozenset({"documents", "sealed", "objects", "publish", "secrets-write", "workflows-start"}),
    secrets=("*",),
)
"""As whom a company is brought: the operator of the cell, who holds all of it."""


def check_manifest(manifest: Mapping[str, Any], tenant: TenantId, cell: str) -> None:
    """Refuse an export that is another's, a newer release's, or bound for another cell."""
    if manifest.get("tenant") != tenant:
        raise InvalidInput("tenant", "another company's export", "name the folder of its own")
    if not isinstance(form := manifest.get("form"), int):
        remedy = "export it with --to KEY: keyfleet tenant invite prints it"
        raise InvalidInput("manifest", "not sealed for any cell", remedy)
    if form > FORM:
        raise InvalidInput("manifest", "of a newer release", "bring this cell to that release first")
    if manifest.get("to") != cell:
        remedy = f"bring it to {manifest.get('to')}, for which its pin was changed; no other may hold it"
        raise InvalidInput("manifest", "pinned to another cell", remedy)


def opened_box(box: Mapping[str, Any], opener: "SealedBox[PrivateKey]") -> Mapping[str, Any]:
    """Return what is in a box; one that was swapped for another names another record inside."""
    try:
        inside: Mapping[str, Any] = orjson.loads(opener.decrypt(base64.b64decode(box["box"])))
    except CryptoError:
        remedy = "export it again for the key that keyfleet tenant invite prints now"
        raise InvalidInput("box", "not sealed for this invitation", remedy) from None
    if (inside["db"], inside["collection"], inside["id"]) != (box["db"], box["collection"], box["id"]):
        raise InvalidInput("box", "holds another record than it names", "export the company again")
    return inside


def is_brought(told: Mapping[str, Any]) -> bool:
    """Say whether a document comes along; the company's own record came first."""
    return told["collection"] not in LEFT_BEHIND and told["collection"] != RECORD.collection


def put_at(data: Any, path: Sequence[str | int], value: str) -> None:
    """Put a value at its place in a document."""
    for step in path[:-1]:
        data = data[step]
    data[path[-1]] = value


@contextmanager
def as_operator() -> Iterator[None]:
    """Do what follows as the operator of the cell."""
    token = deployed.set(WHO)
    try:
        yield
    finally:
        deployed.reset(token)

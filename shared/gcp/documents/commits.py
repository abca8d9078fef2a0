"""One commit: what is sent, and what a refusal of it means.

Every write has a condition of its own: the document must be absent, or as it was read. There are no
transactions: they collapse on a contended document, and conditions say all we need.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from shared.domain.instants import utc
from shared.gcp.documents.form import EXPIRES, Form, copied_bytes, fields, value
from shared.gcp.documents.stored import Stored, unversioned, version
from shared.ports.document_limits import check_commit_bytes, check_writes, encode
from shared.ports.documents import AlreadyExists, Create, Delete, Ref, StaleVersion, Write


@dataclass(frozen=True, slots=True)
class Conditional:
    """A write in Firestore's terms: where, what (None deletes), over which update (None: the first)."""

    write: Write
    name: str
    fields: Mapping[str, Any] | None
    updated: Any | None

    def request(self) -> Any:
        """Return the message to send."""
        from google.cloud.firestore_v1.types import Document, Precondition
        from google.cloud.firestore_v1.types import Write as Message

        met = Precondition(update_time=self.updated) if self.updated else Precondition(exists=False)
        if self.fields is None:
            return Message(delete=self.name, current_document=met)
        return Message(update=Document(name=self.name, fields=self.fields), current_document=met)


def prepare(
    writes: Sequence[Write], names: Sequence[str], forms: Mapping[str, Form], mark: str, now: datetime
) -> list[Conditional]:
    """Check and encode all writes at once: later changes to the caller's data change nothing."""
    check_writes(writes)
    form = Form()
    encoded = [_encoded(write, forms.get(write.ref.collection, form), mark) for write in writes]
    check_commit_bytes(sum(size for _, size in encoded))
    return [
        Conditional(write, name, content, _expected(write, now))
        for write, name, (content, _) in zip(writes, names, encoded, strict=True)
    ]


def versions(writes: Sequence[Write], updated: Sequence[Any]) -> tuple[str, ...]:
    """Return the new version of each write (empty for a delete)."""
    return tuple(
        "" if isinstance(write, Delete) else version(when, _expiry(write))
        for write, when in zip(writes, updated, strict=True)
    )


def applied(writes: Sequence[Conditional], found: Mapping[Ref, Stored], mark: str) -> tuple[str, ...] | None:
    """Return the versions if a refused commit is our own, acknowledged to nobody and sent again."""
    ours = any((state := found.get(each.write.ref)) and state.mark == mark for each in writes)
    if not ours:
        return None
    return tuple(
        "" if isinstance(each.write, Delete) or each.write.ref not in found else found[each.write.ref].version
        for each in writes
    )


def reconsidered(
    writes: Sequence[Conditional], found: Mapping[Ref, Stored], now: datetime
) -> list[Conditional]:
    """Return the writes to try next, or raise what the found documents forbid."""
    return [_reconsidered(each, found.get(each.write.ref), now) for each in writes]


def _reconsidered(each: Conditional, found: Stored | None, now: datetime) -> Conditional:
    ref = each.write.ref
    if isinstance(each.write, Create):
        if found is not None and found.lives(now):
            raise AlreadyExists(ref)
        return replace(each, updated=None if found is None else found.updated)
    if found is None or found.version != each.write.version:
        raise StaleVersion(ref)
    return each


def _expected(write: Write, now: datetime) -> Any | None:
    if isinstance(write, Create):
        return None
    updated = unversioned(write.version, now)
    if updated is None:
        raise StaleVersion(write.ref)
    return updated


def _encoded(write: Write, form: Form, mark: str) -> tuple[Mapping[str, Any] | None, int]:
    if isinstance(write, Delete):
        return None, 0
    body = encode(write.data)
    equal, order = form.copies(write.ref.id, write.data)
    content = fields(body.decode(), equal, order, mark)
    if (expires_at := _expiry(write)) is not None:
        content[EXPIRES] = value(expires_at)
    return content, len(body) + copied_bytes(equal, order)


def _expiry(write: Write) -> datetime | None:
    if isinstance(write, Delete) or write.expires_at is None:
        return None
    return utc(write.expires_at, "expires_at")

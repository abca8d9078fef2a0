"""What is sent to Firestore: within its limits, whatever we allow; and nothing more than is asked for."""

from datetime import UTC, datetime, timedelta

import pytest
from google.cloud.firestore_v1.types import CommitRequest

from shared.domain.errors import InvalidInput
from shared.domain.ids import TenantId
from shared.gcp.documents.commits import prepare
from shared.gcp.documents.form import MOST_COPIED, forms
from shared.gcp.documents.names import Place, tenant_and_id
from shared.gcp.documents.stored import unversioned, version
from shared.ports.document_limits import MOST_COMMIT_BYTES, MOST_DOCUMENT_BYTES, MOST_WRITES, encode
from shared.ports.documents import Create, Index, Ref

NOW = datetime(2026, 5, 1, 9, 0, tzinfo=UTC)
PLACE = Place("p" * 30, "d" * 63)
TENANT = TenantId("tnt_" + "t" * 40)
MEBIBYTE = 1024 * 1024
DUE = Index("c" * 63, ("state",), "due_at")


def sent(writes):
    """Return the request that a commit of these writes is."""
    names = [PLACE.document(TENANT, write.ref) for write in writes]
    prepared = prepare(writes, names, forms([DUE]), "0" * 18, NOW)
    return CommitRequest(database=PLACE.root, writes=[each.request() for each in prepared])


def sized(id_, size, **indexed):
    """Create a document whose JSON has exactly that size."""
    frame = len(encode({"x": "", **indexed}))
    return Create(Ref(DUE.collection, id_), {"x": "a" * (size - frame), **indexed}, NOW + timedelta(days=1))


def test_the_largest_commit_is_within_firestores_ten_mebibytes():
    each = MOST_COMMIT_BYTES // MOST_WRITES
    request = sent([sized(f"{number:03}" + "i" * 252, each) for number in range(MOST_WRITES)])
    assert CommitRequest.pb(request).ByteSize() < 10 * MEBIBYTE


def test_the_largest_document_is_within_firestores_mebibyte():
    half = MOST_COPIED // 2 - len("due_at")
    write = sized("i" * 255, MOST_DOCUMENT_BYTES, state="s" * half, due_at="d" * half)
    (message,) = sent([write]).writes
    assert type(message).pb(message).ByteSize() < MEBIBYTE - 10_000


def test_indexed_fields_too_large_for_the_room_beside_a_document_are_refused():
    with pytest.raises(InvalidInput, match=r"^data: .* indexed fields"):
        sent([sized("1", MOST_DOCUMENT_BYTES, state="s" * MOST_COPIED)])


def test_only_what_an_index_asks_for_is_copied_out_of_the_body():
    data = {"state": "waiting", "due_at": "2026", "pin": "4711"}
    (message,) = sent([Create(Ref(DUE.collection, "1"), data)]).writes
    held = message.update.fields
    copied = {**held["equal"].map_value.fields, **held["order"].map_value.fields}
    assert {name: value.string_value for name, value in copied.items()} == {
        "state": "waiting",
        "due_at": "2026",
    }
    assert sorted(held) == ["body", "equal", "mark", "order"]


def test_a_resource_name_says_whose_document_it_is():
    assert tenant_and_id(PLACE.document(TENANT, Ref("sagas", "a.b"))) == (TENANT, "a.b")


def test_a_version_says_when_its_document_expires():
    (updated,) = [unversioned("2026-05-01T08:00:00.000001Z", NOW)]
    text = version(updated, NOW)
    assert unversioned(text, NOW - timedelta(microseconds=1)) == updated
    assert unversioned(text, NOW) is None


@pytest.mark.parametrize(
    "text", ["2026-05-01T08:00:00Z~", "2026-05-01T08:00:00Z~x", "x~1", "~", "1~" + "9" * 40]
)
def test_a_version_that_names_no_update_is_none(text):
    assert unversioned(text, NOW) is None

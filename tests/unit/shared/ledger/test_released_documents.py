"""Documents of every kind and released version are read, and keep what a newer release wrote into them.

`released/<collection>.v<version>.json` holds documents as that version wrote them: files there are never
changed, and a new `schema_version` adds one.
"""

import copy
import json
import re
from dataclasses import fields
from pathlib import Path

import pytest

from shared.domain.documents import from_document, to_document
from shared.domain.policy import DEFAULT_POLICY
from shared.domain.premises import LockDevice, Property, Room, Tenant
from shared.domain.sign_in import Integrator, TenantAccess
from shared.domain.stored import UNSTORED, how_stored
from shared.domain.upcasts import UPCASTS
from shared.keywork.manual_task import ManualTask
from shared.ledger.account_rotation import AccountRotation, rotation_from
from shared.ledger.break_glass import BreakGlass, glass_from
from shared.ledger.bulk_job import BulkJob, BulkPage, job_from
from shared.ledger.comparison import Comparison, comparison_from
from shared.ledger.finding import Finding, finding_from
from shared.ledger.finding_refs import SealedRef
from shared.ledger.grant_record import GrantRecord, grant_from
from shared.ledger.guest_contacts import ContactRecord
from shared.ledger.hotel_directory import setup_of
from shared.ledger.kept_alerts import KeptAlerts
from shared.ledger.key_record import KeyRecord, key_record_from
from shared.ledger.master_key_record import MasterKeyRecord, master_key_from
from shared.ledger.premises import page_at, premises_in
from shared.ledger.reading import StoredUnreadable
from shared.ledger.reservation import Reservation, reservation_from
from shared.ledger.sealed_keys import SealedDocument
from shared.ledger.shift_record import ShiftRecord, StaffTask
from shared.ledger.vendor_price import VendorPrice, price_from
from shared.ports.documents import Document, Ref

RELEASED = Path(__file__).parent / "released"
LEDGER = {
    "comparisons": (Comparison, comparison_from),
    "findings": (Finding, finding_from),
    "credentials": (KeyRecord, key_record_from),
    "grants": (GrantRecord, grant_from),
    "reservations": (Reservation, reservation_from),
    "master_keys": (MasterKeyRecord, master_key_from),
    "bulk_jobs": (BulkJob, job_from),
    "account_rotations": (AccountRotation, rotation_from),
    "break_glass": (BreakGlass, glass_from),
    "vendor_prices": (VendorPrice, price_from),
}
KINDS = {
    **{collection: kind for collection, (kind, _) in LEDGER.items()},
    "finding_refs": SealedRef,
    "shifts": ShiftRecord,
    "staff_tasks": StaffTask,
    "bulk_pages": BulkPage,
    "key_secrets": SealedDocument,
    "guest_contacts": ContactRecord,
    "manual_tasks": ManualTask,
    "alerts": KeptAlerts,
    "tenant": Tenant,
    "properties": Property,
    "rooms": Room,
    "devices": LockDevice,
    "access": TenantAccess,
    "integrators": Integrator,
}


def released():
    """Return the collection, version, name and body of every document that a release wrote."""
    for file in sorted(RELEASED.glob("*.json")):
        collection, version = re.fullmatch(r"(\w+)\.v(\d+)\.json", file.name).groups()
        for name, document in json.loads(file.read_text()).items():
            yield pytest.param(collection, int(version), document, id=f"{collection}.v{version} {name}")


ALL = list(released())
OURS = [each for each in ALL if each.values[0] not in {"policies", "premises"}]
"""Settings are kept as their tenant gave them, and premises copy documents: no codec of ours writes them."""


def read(collection, document):
    if collection in LEDGER:
        return LEDGER[collection][1](Document(Ref(collection, "rsv_1"), document, "v"))
    if collection == "policies":
        return DEFAULT_POLICY.with_settings(document["settings"])
    if collection == "premises":
        (device,) = document["devices"].values()
        return setup_of(premises_in([Document(page_at("ppt_kabul"), document, "v")])).of_vendor(
            device["vendor"]
        )
    return from_document(KINDS[collection], document)


def known_as(value):
    """Return what a value says, apart from what only this process knows."""
    own = (each for each in fields(value) if how_stored(each.type)[1] is not UNSTORED)
    return {each.name: getattr(value, each.name) for each in own}


@pytest.mark.parametrize(("collection", "version", "document"), ALL)
def test_document_of_a_release_is_read(collection, version, document):
    assert document["schema_version"] == version
    assert read(collection, document) is not None


@pytest.mark.parametrize(("collection", "version", "document"), OURS)
def test_document_of_a_release_says_the_same_once_it_is_written_anew(collection, version, document):
    value = read(collection, document)
    written = json.loads(json.dumps(to_document(value)))
    assert known_as(read(collection, written)) == known_as(value)
    if version == KINDS[collection].schema_version:
        lost = document.keys() - written.keys()
        assert not lost


@pytest.mark.parametrize(("collection", "version", "document"), OURS)
def test_document_with_a_field_of_a_newer_release_is_read_and_keeps_it(collection, version, document):
    newer = copy.deepcopy(document)
    newer["of_tomorrow"] = {"a": 1}
    within = next((name for name in ("credential", "grant") if name in newer), None)
    if within:
        newer[within]["of_tomorrow"] = [2]
    value = read(collection, newer)
    assert known_as(value) == known_as(read(collection, document))
    if hasattr(value, "strays"):
        written = to_document(value)
        assert written["of_tomorrow"] == {"a": 1}
        assert not within or written[within]["of_tomorrow"] == [2]


@pytest.mark.parametrize(("collection", "kind"), KINDS.items())
def test_kind_has_a_released_file_for_every_version_and_a_step_from_each_to_the_next(collection, kind):
    versions = range(1, kind.schema_version + 1)
    assert [number for number in versions if not (RELEASED / f"{collection}.v{number}.json").exists()] == []
    assert [number for number in versions[:-1] if (kind.__name__, number) not in UPCASTS] == []


@pytest.mark.parametrize("step", UPCASTS)
def test_document_is_unreadable_without_its_step(step, monkeypatch):
    name, version = step
    collection = next(each for each, kind in KINDS.items() if kind.__name__ == name)
    documents = json.loads((RELEASED / f"{collection}.v{version}.json").read_text())
    monkeypatch.delitem(UPCASTS, step)
    with pytest.raises(StoredUnreadable, match="schema_version"):
        read(collection, next(iter(documents.values())))

"""Documents of every kind and released version are read, and keep what a newer release wrote into them.

`released/<collection>.v<version>.json` holds documents as that version wrote them: files there are never
changed, and a new `schema_version` adds one.
"""

import copy
import importlib
import json
import pkgutil
import re
from dataclasses import fields
from inspect import isabstract
from pathlib import Path

import pytest

import shared
from shared.domain.documents import from_document, to_document
from shared.domain.policy import DEFAULT_POLICY
from shared.domain.premises import LockDevice, Property, Room, Tenant
from shared.domain.sign_in import Integrator, TenantAccess
from shared.domain.stored import UNSTORED, how_stored
from shared.domain.upcasts import UPCASTS
from shared.events.outbox import OutboxRow
from shared.keywork.manual_task import ManualTask
from shared.keywork.port_wish import AskedKey
from shared.ledger.account_rotation import AccountRotation, rotation_from
from shared.ledger.anomaly import Anomaly
from shared.ledger.attempt import Attempt
from shared.ledger.audit_log import log_record_from, stream_record_from
from shared.ledger.backup_code import BackupCode
from shared.ledger.break_glass import BreakGlass, glass_from
from shared.ledger.bulk_job import BulkJob, BulkPage, job_from
from shared.ledger.canary import Canary, Trial, canary_from, trial_from
from shared.ledger.challenge import Challenge
from shared.ledger.comparison import Comparison, comparison_from
from shared.ledger.day_figures import CountedUpTo, DayFigures, counted_from, figures_from
from shared.ledger.device_record import DeviceRecord
from shared.ledger.finding import Finding, finding_from
from shared.ledger.finding_refs import SealedRef
from shared.ledger.grant_record import GrantRecord, grant_from
from shared.ledger.guest_apps import GuestApps
from shared.ledger.guest_contacts import ContactRecord
from shared.ledger.guest_devices import GuestDeviceRecord, Suppression
from shared.ledger.guest_tokens import GuestSession, GuestToken, Redeemed
from shared.ledger.hearing import Hearing
from shared.ledger.hotel_directory import setup_of
from shared.ledger.hourly_round import Round
from shared.ledger.kept_alerts import KeptAlerts
from shared.ledger.key_record import KeyRecord, key_record_from
from shared.ledger.listener import Listener
from shared.ledger.master_key_record import MasterKeyRecord, master_key_from
from shared.ledger.message_settings import MessageSettings
from shared.ledger.notices import Notice
from shared.ledger.premises import page_at, premises_in
from shared.ledger.reservation import Reservation, reservation_from
from shared.ledger.sealed_keys import SealedDocument
from shared.ledger.sending import Sending
from shared.ledger.shift_record import ShiftRecord, StaffTask
from shared.ledger.short_messages import ShortMessageSent
from shared.ledger.vendor_price import VendorPrice, price_from
from shared.ledger.vendor_webhook import VendorWebhook
from shared.ports.collections import COLLECTIONS
from shared.ports.documents import Document, Ref, StoredUnreadable
from shared.streams.record import Record
from shared.usecases.backoffice.console_codes import ConsoleCode
from shared.usecases.backoffice.console_sessions import ConsoleSession
from shared.usecases.backoffice.console_views import SavedViews
from shared.usecases.backoffice.feed import Feed
from shared.usecases.backoffice.inbox import Waiting
from shared.usecases.backoffice.presence import Presence
from shared.usecases.backoffice.sessions import Session
from shared.usecases.desk.desks import DeskRecord
from shared.usecases.desk.local_keys import LocalKey
from shared.usecases.devices.plan_places import PlacePlan
from shared.usecases.guests.explain_key import Renewal
from shared.usecases.guests.guesses import Counted
from shared.usecases.outbound.signing import ListenerSecrets
from shared.usecases.reveal.reveal_pin import Looks
from shared.usecases.telemetry.flags import KeptFlags
from shared.usecases.telemetry.peppers import PepperRing
from shared.vendor_kit.calm.allowance import Allowance, Limit
from shared.vendor_kit.desk_jobs import DeskJob
from shared.vendor_kit.written_cards import WrittenCard
from tests.support.by_hand import every as by_hand

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
    "canaries": (Canary, canary_from),
    "canary_trials": (Trial, trial_from),
    "day_counts": (CountedUpTo, counted_from),
    "day_figures": (DayFigures, figures_from),
}
KINDS = {
    **{collection: kind for collection, (kind, _) in LEDGER.items()},
    "finding_refs": SealedRef,
    "shifts": ShiftRecord,
    "staff_tasks": StaffTask,
    "bulk_pages": BulkPage,
    "key_secrets": SealedDocument,
    "guest_accounts": ContactRecord,
    "guest_contacts": ContactRecord,
    "manual_tasks": ManualTask,
    "alerts": KeptAlerts,
    "tenant": Tenant,
    "properties": Property,
    "rooms": Room,
    "devices": LockDevice,
    "access": TenantAccess,
    "integrators": Integrator,
    "anomalies": Anomaly,
    "asked_keys": AskedKey,
    "attempts": Attempt,
    "backoffice_alerts": Waiting,
    "backoffice_arrived": Presence,
    "backoffice_feeds": Feed,
    "backoffice_sessions": Session,
    "backoffice_suggestions": Waiting,
    "backup_codes": BackupCode,
    "challenges": Challenge,
    "console_codes": ConsoleCode,
    "console_sessions": ConsoleSession,
    "console_views": SavedViews,
    "desks": DeskRecord,
    "device_health": DeviceRecord,
    "guest_apps": GuestApps,
    "guest_devices": GuestDeviceRecord,
    "guest_guesses": Counted,
    "guest_renewals": Renewal,
    "guest_sessions": GuestSession,
    "guest_tokens": GuestToken,
    "hearings": Hearing,
    "rounds": Round,
    "listener_secrets": ListenerSecrets,
    "listeners": Listener,
    "message_settings": MessageSettings,
    "notices": Notice,
    "pin_reveals": Looks,
    "place_plans": PlacePlan,
    "redeemed_artifacts": Redeemed,
    "sendings": Sending,
    "short_messages": ShortMessageSent,
    "suppressions": Suppression,
    "telemetry_flags": KeptFlags,
    "telemetry_peppers": PepperRing,
    "webhooks": VendorWebhook,
}
COPIED = {"policies", "premises"}
"""Settings are kept whole as their tenant gave them last, and premises copy: no codec writes them."""
READ_BY_HAND = {
    "audit_logs": log_record_from,
    "audit_streams": stream_record_from,
    "desk_cards": WrittenCard.from_document,
    "desk_jobs": DeskJob.from_document,
    "desk_local_keys": LocalKey.read,
    "outbox": lambda found: OutboxRow.from_document(found.data),
    "rates": lambda found: Allowance.from_document(Limit(calls=100), found.data),
}
"""How those are read that a value is made of, field by field; the rest are in `by_hand`."""


def released():
    """Return the collection, version, name and body of every document that a release wrote."""
    for file in sorted(RELEASED.glob("*.json")):
        collection, version = re.fullmatch(r"(\w+)\.v(\d+)\.json", file.name).groups()
        for name, document in json.loads(file.read_text()).items():
            yield pytest.param(collection, int(version), document, id=f"{collection}.v{version} {name}")


EVERY = list(released())
ALL = [each for each in EVERY if each.values[0] in KINDS.keys() | COPIED]
OURS, COPIES = ([each for each in ALL if (each.values[0] in COPIED) is copied] for copied in (False, True))


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


@pytest.mark.parametrize(("collection", "version", "document"), COPIES)
def test_copy_with_a_field_of_a_newer_release_is_read_alike(collection, version, document):
    assert read(collection, {**document, "of_tomorrow": {"a": 1}}) == read(collection, document)


@pytest.mark.parametrize(("collection", "version", "document"), OURS)
def test_document_with_a_field_of_a_newer_release_is_read_and_keeps_it(collection, version, document):
    newer = copy.deepcopy(document)
    newer["of_tomorrow"] = {"a": 1}
    within = next((name for name in ("credential", "grant") if isinstance(newer.get(name), dict)), None)
    if within:
        newer[within]["of_tomorrow"] = [2]
    value = read(collection, newer)
    assert known_as(value) == known_as(read(collection, document))
    if hasattr(value, "strays"):
        written = to_document(value)
        assert written["of_tomorrow"] == {"a": 1}
        assert not within or written[within]["of_tomorrow"] == [2]


@pytest.mark.parametrize(
    ("collection", "version", "document"), [each for each in EVERY if each.values[0] in READ_BY_HAND]
)
def test_document_written_by_hand_is_read_and_one_of_a_newer_release_is_too(collection, version, document):
    assert version == document.get("schema_version", document.get("schemaVersion"))
    read_by = READ_BY_HAND[collection]
    known = read_by(Document(Ref(collection, "id_1"), document, "v"))
    newer = read_by(Document(Ref(collection, "id_1"), {**document, "of_tomorrow": {"a": 1}}, "v"))
    assert newer == known
    if hasattr(known, "strays"):
        assert known.write().data == document
        assert newer.write().data == {**document, "of_tomorrow": {"a": 1}}


@pytest.mark.parametrize(("collection", "kind"), KINDS.items())
def test_kind_has_a_released_file_for_every_version_and_a_step_from_each_to_the_next(collection, kind):
    versions = range(1, kind.schema_version + 1)
    assert [number for number in versions if not (RELEASED / f"{collection}.v{number}.json").exists()] == []
    assert [number for number in versions[:-1] if (kind.__name__, number) not in UPCASTS] == []


def test_every_collection_has_a_released_file_that_is_read_here_or_by_hand_or_is_read_by_nobody():
    read_here = KINDS.keys() | COPIED | READ_BY_HAND.keys()
    assert {each.values[0] for each in EVERY} == read_here | by_hand.COLLECTIONS
    assert {each.name for each in COLLECTIONS} == read_here | by_hand.COLLECTIONS | by_hand.UNREAD.keys()


def test_every_record_has_a_released_file():
    for found in pkgutil.walk_packages(shared.__path__, "shared."):
        if found.name.split(".")[1] in {"ledger", "usecases"}:
            importlib.import_module(found.name)
    # By name: of a class with slots there are two.
    names = {each.__name__ for each in _leaves(Record) if not isabstract(each)}
    assert names - {each.__name__ for each in KINDS.values()} == set()


def _leaves(kind):
    below = [each for each in kind.__subclasses__() if each.__module__.startswith("shared.")]
    return [leaf for each in below for leaf in _leaves(each)] or [kind]


@pytest.mark.parametrize("step", UPCASTS)
def test_document_is_unreadable_without_its_step(step, monkeypatch):
    name, version = step
    collection = next(each for each, kind in KINDS.items() if kind.__name__ == name)
    documents = json.loads((RELEASED / f"{collection}.v{version}.json").read_text())
    monkeypatch.delitem(UPCASTS, step)
    with pytest.raises(StoredUnreadable, match="schema_version"):
        read(collection, next(iter(documents.values())))

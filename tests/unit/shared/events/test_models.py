from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any, get_args

import pytest
import rfc8785
from pydantic import BaseModel

from shared.domain.errors import InvalidInput
from shared.domain.ids import ShiftId
from shared.events.catalogue import CATALOGUE, model_for
from shared.events.codec import event_model, parse, parse_payload, require_publishable
from shared.events.errors import InvalidEvent
from shared.events.subject import Direction
from shared.events.wire import Published, Received

LOCK = "melmastoon.lock."
BOOKING = "melmastoon.reservation.booking."
SECRETS = {
    "vendorref",
    "pin",
    "pincode",
    "value",
    "secret",
    "token",
    "password",
    "code",
    "bytes",
    "key",
    "sealed",
}
NAMES = {"displayname", "guestname", "email", "phone", "phonee164", "name"}

# `code` is a warning's, `pin` says whether a lock has a keypad: words about keys, not keys.
INNOCENT = {("Warned", "code"), ("Capabilities", "pin")}


def models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
        for field in annotation.model_fields.values():
            yield from models_in(field.annotation)
    for part in get_args(annotation):
        yield from models_in(part)


def fields_of(subject: str) -> set[tuple[str, str]]:
    return {
        (model.__name__, spelling)
        for model in models_in(event_model(subject))
        for name, field in model.model_fields.items()
        for spelling in (name, field.alias or name)
    }


def suspicious(subject: str, forbidden: set[str]) -> set[tuple[str, str]]:
    hits = {hit for hit in fields_of(subject) if hit[1].replace("_", "").lower() in forbidden}
    return hits - INNOCENT


on_pubsub = [name for name, row in CATALOGUE.items() if row.topic]
produced = [name for name, row in CATALOGUE.items() if row.direction is Direction.PRODUCED]
consumed = [name for name, row in CATALOGUE.items() if row.direction is Direction.CONSUMED]


@pytest.mark.parametrize("subject", on_pubsub)
def test_nothing_on_pubsub_has_a_field_for_a_secret(subject):
    assert suspicious(subject, SECRETS) == set()


@pytest.mark.parametrize("subject", produced)
def test_nothing_we_produce_has_a_field_for_a_persons_name_or_contact(subject):
    assert suspicious(subject, NAMES) == set()


def test_the_hunt_for_secrets_finds_the_one_that_stays_at_the_desk():
    found = suspicious(f"{LOCK}credential.issued.local.v1", SECRETS)
    assert {name for _, name in found} == {"vendor_ref", "vendorRef"}


@pytest.mark.parametrize("subject", produced)
def test_every_part_of_what_we_produce_is_closed(subject):
    assert all(issubclass(model, Published) for model in models_in(model_for(subject)))


@pytest.mark.parametrize("subject", consumed)
def test_every_part_of_what_we_consume_is_tolerant(subject):
    assert all(issubclass(model, Received) for model in models_in(model_for(subject)))


def issued(document, **changes):
    payload = document(f"{LOCK}credential.issued.v1")["data"] | changes
    return {name: value for name, value in payload.items() if value is not ...}


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"guestId": ...}, "holder is not named by reservationId and guestId"),
        ({"reservationId": ...}, "holder is not named by reservationId and guestId"),
        ({"holderKind": "staff"}, "holder is not named by staffUserId"),
        ({"rooms": []}, "opens no room"),
        ({"validUntil": "2026-05-01T14:00:00Z"}, "does not end after it starts"),
        ({"kind": "retina"}, "data.kind|kind"),
        ({"provisional": 0}, "provisional"),
        ({"delivery": {"artifact": {"type": "pin", "opaqueRef": "123456"}}}, r"artifact\.opaqueRef"),
        ({"delivery": {"deepLink": "https://elsewhere.example/keys/1"}}, "deepLink"),
        ({"delivery": {"deepLink": "melmastoon://tenant/silk/keys/key_1?token=1"}}, "deepLink"),
    ],
)
def test_issued_refuses(changes, problem, document):
    with pytest.raises(InvalidEvent, match=problem):
        parse_payload(f"{LOCK}credential.issued.v1", issued(document, **changes), exact=True)


def test_staff_key_may_open_areas_only(document):
    payload = issued(
        document, holderKind="staff", staffUserId="usr_1", guestId=..., reservationId=..., rooms=[]
    )
    assert parse_payload(f"{LOCK}credential.issued.v1", payload, exact=True)


def test_a_key_to_every_room_of_a_large_hotel_is_published(document):
    rooms = [f"rmu_01HX4Q8ZT9WKE2M7VR5N3B{number:04}" for number in range(2000)]
    event = document(f"{LOCK}credential.issued.v1", issued(document, rooms=rooms))
    assert require_publishable(rfc8785.dumps(event)).data.rooms == tuple(rooms)


def test_an_encoder_is_registered_without_a_room(document):
    payload = document(f"{LOCK}device.registered.v1")["data"] | {"rooms": []}
    assert parse_payload(f"{LOCK}device.registered.v1", payload, exact=True)


def confirmed(document, window: dict[str, Any]) -> dict[str, Any]:
    payload = document(f"{BOOKING}confirmed.v1")["data"]
    return {name: value for name, value in payload.items() if not name.startswith("valid")} | window


FROM, UNTIL = "2026-05-01T14:00:00Z", "2026-05-03T11:00:00Z"


@pytest.mark.parametrize(
    "window",
    [
        {"validFrom": FROM, "validUntil": UNTIL},
        {"checkIn": FROM, "checkOut": UNTIL},
        {"window": {"validFrom": FROM, "validUntil": UNTIL}},
        {"window": {"from": FROM, "to": UNTIL}},
    ],
)
def test_confirmed_reads_the_window_in_every_spelling(window, document):
    booking = parse_payload(f"{BOOKING}confirmed.v1", confirmed(document, window))
    assert booking.valid_from == datetime(2026, 5, 1, 14, tzinfo=UTC)
    assert booking.valid_until == datetime(2026, 5, 3, 11, tzinfo=UTC)


@pytest.mark.parametrize("name", ["reservationId", "propertyId", "guest", "rooms", "validFrom", "validUntil"])
def test_confirmed_requires(name, document):
    payload = document(f"{BOOKING}confirmed.v1")["data"]
    del payload[name]
    with pytest.raises(InvalidEvent, match=name):
        parse_payload(f"{BOOKING}confirmed.v1", payload)


def test_confirmed_does_without_version_and_payment(document):
    payload = document(f"{BOOKING}confirmed.v1")["data"]
    for name in ("version", "paymentStatus", "preferredKinds", "scope"):
        del payload[name]
    booking = parse_payload(f"{BOOKING}confirmed.v1", payload)
    assert (booking.version, booking.payment_status, booking.preferred_kinds) == (None, None, ())


def test_confirmed_masks_name_and_contact_in_every_repr(document):
    event = parse(document(f"{BOOKING}confirmed.v1"))
    shown = repr(event) + str(event.data) + event.model_dump_json()
    assert "Example Guest" not in shown
    assert "guest@example.org" not in shown
    assert "+9370" not in shown
    assert event.data.guest.contact.phone_e164.get_secret_value() == "+93700000000"


def test_dates_changed_says_what_changed():
    with pytest.raises(InvalidEvent, match="neither validFrom, validUntil nor rooms"):
        parse_payload(f"{BOOKING}dates_changed.v1", {"reservationId": "rsv_1"})


@pytest.mark.parametrize("name", ["staffUserId", "userId"])
def test_shift_started_reads_either_name_of_its_person(name):
    payload = {"shiftId": "shf_1", name: "usr_1", "propertyId": "ppt_1", "startsAt": FROM, "endsAt": UNTIL}
    assert parse_payload("melmastoon.staff.shift.started.v1", payload).staff_user_id == "usr_1"


@pytest.mark.parametrize(
    "shift_id", ["shf_2026-05-01_a", "5b3f0a0e-8d7f-4a3e-9d5e-0a8b6f5c4d3e", "a/b", "a:b", ""]
)
def test_shift_ids_pass_here_exactly_where_the_domain_can_hold_them(shift_id):
    def held(read: Callable[[str], object]) -> bool:
        try:
            read(shift_id)
        except (InvalidEvent, InvalidInput):
            return False
        return True

    assert held(ShiftId) == held(
        lambda it: parse_payload("melmastoon.staff.shift.ended.v1", {"shiftId": it, "userId": "usr_1"})
    )


def test_local_issue_masks_the_vendor_reference_until_the_push(local_example):
    subject, payload = local_example
    model = parse_payload(subject, payload, exact=True)
    reference = payload.get("vendorRef", "04-a2")
    assert reference not in repr(model) + str(model) + model.model_dump_json()


def test_local_issue_reveals_the_vendor_reference_for_the_push_alone(document):
    payload = document(f"{LOCK}credential.issued.local.v1")["data"]
    assert parse_payload(f"{LOCK}credential.issued.local.v1", payload).for_sync() == payload

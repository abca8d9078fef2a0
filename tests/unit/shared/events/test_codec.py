import json
import traceback

import pytest
import rfc8785

from shared.events.catalogue import ALIASES, CATALOGUE
from shared.events.codec import (
    LARGEST_EVENT,
    encode,
    event_model,
    parse,
    parse_payload,
    require_publishable,
    verify_inbound,
)
from shared.events.envelope import ProducedEvent, ReceivedEvent
from shared.events.errors import CrossTenant, EventError, InvalidEvent
from shared.events.reservation import BookingConfirmedV1
from shared.events.subject import Direction

ISSUED = "melmastoon.lock.credential.issued.v1"
REVOKED = "melmastoon.lock.credential.revoked.v1"
CONFIRMED = "melmastoon.reservation.booking.confirmed.v1"
ISSUED_LOCALLY = "melmastoon.lock.credential.issued.local.v1"
ULID = "01HX4Q8ZT9WKE2M7VR5N3BCD6F"


def paths(caught: pytest.ExceptionInfo[InvalidEvent]) -> set[str]:
    return {problem.path for problem in caught.value.problems}


def without(document: dict, *names: str) -> dict:
    return {key: value for key, value in document.items() if key not in names}


def test_produced_example_survives_the_round_trip_to_the_byte(produced_example, document):
    original = document(*produced_example)
    event = parse(rfc8785.dumps(original), exact=True)
    assert isinstance(event, ProducedEvent)
    assert encode(event) == rfc8785.dumps(original)


def test_consumed_example_is_read_with_unknown_fields_around_it(consumed_example, document):
    subject, payload = consumed_example
    event = parse(document(subject, payload | {"new": 1}, region="me-central1"))
    assert isinstance(event, ReceivedEvent)
    assert event.subject == subject


def nulled(payload: dict, *names: str) -> dict:
    return payload | dict.fromkeys(names)


def test_null_in_an_optional_field_of_others_says_nothing(document):
    bare = document(CONFIRMED)
    bare["data"] = without(bare["data"], "preferredKinds", "scope", "version", "paymentStatus", "tenantId")
    nulls = nulled(document(CONFIRMED), "specVersion", "type", "source", "causationId")
    nulls["data"] = nulled(bare["data"], "preferredKinds", "version", "paymentStatus", "tenantId", "checkIn")
    assert parse(nulls).data == parse(bare).data
    nulls["data"]["scope"] = {"floors": None, "areas": ["gym"]}
    assert parse(nulls).data.scope.floors == ()


def test_null_in_a_required_field_of_others_is_a_missing_field(document):
    wrong = document(CONFIRMED)
    wrong["data"] = nulled(wrong["data"], "rooms")
    with pytest.raises(InvalidEvent, match=r"data\.rooms: field required"):
        parse(wrong)


def test_local_example_is_read(local_example, document):
    event = parse(json.dumps(document(*local_example)).encode())
    assert CATALOGUE[event.subject].direction is Direction.LOCAL


def test_every_subject_has_an_example(document):
    assert all(parse(document(subject)).subject == subject for subject in CATALOGUE)


def test_reader_looks_past_fields_of_later_releases_and_the_publisher_refuses_them(document):
    later = document(REVOKED)
    later["data"]["metadata"]["later"] = later["laterToo"] = 1
    assert parse(later) == parse(document(REVOKED))
    with pytest.raises(InvalidEvent) as caught:
        parse(later, exact=True)
    assert paths(caught) == {"laterToo", "data.metadata.later"}


def test_field_names_of_python_are_not_fields_of_the_wire(document):
    wrong = document(REVOKED)
    wrong["data"]["key_credential_id"] = wrong["data"].pop("keyCredentialId")
    with pytest.raises(InvalidEvent) as caught:
        parse(wrong)
    assert paths(caught) == {"data.keyCredentialId"}


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b'{"subject": NaN}', "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[]", "not an object"),
        (b"null", "not an object"),
        (b'"text"', "not an object"),
        (b"{}", "missing or no string"),
        (b'{"subject": 1}', "missing or no string"),
        (b'{"subject": "melmastoon.lock.credential.isued.v1"}', "does not hold it"),
        (b" " * (LARGEST_EVENT + 1), "larger than"),
        ({"subject": object()}, "what JSON cannot"),
        ({"subject": ISSUED, "data": "x" * LARGEST_EVENT}, "larger than"),
    ],
    ids=range(14),
)
def test_hostile_or_broken_documents_are_invalid_events_and_nothing_else(raw, problem):
    with pytest.raises(InvalidEvent, match=problem):
        parse(raw)


def test_unknown_subject_is_answered_with_the_one_probably_meant():
    with pytest.raises(InvalidEvent, match=r"Did you mean melmastoon\.lock\.credential\.issued\.v1"):
        parse(b'{"subject": "melmastoon.lock.credential.isued.v1"}')


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"type": REVOKED}, "type"),
        ({"schemaUrl": "https://schemas.melmastoon.ghasi.io/lock/credential.issued.v1.json"}, "schemaUrl"),
        ({"tenantId": "ten_1"}, "tenantId"),
        ({"tenantId": None}, "tenantId"),
        ({"id": "evt_1"}, "id"),
        ({"specVersion": "2.0"}, "specVersion"),
        ({"traceId": "abc"}, "traceId"),
        ({"time": "2026-04-30T10:13:42"}, "time"),
        ({"source": "/services/reservation-service"}, "source"),
        ({"data": []}, "data"),
    ],
)
def test_broken_envelope_names_its_field(change, path, document):
    with pytest.raises(InvalidEvent) as caught:
        parse(document(ISSUED, **change))
    assert paths(caught) == {path}


@pytest.mark.parametrize(
    "name",
    ["id", "type", "source", "time", "tenantId", "traceId", "correlationId", "schemaUrl", "specVersion"],
)
def test_produced_envelope_is_complete(name, document):
    with pytest.raises(InvalidEvent, match=f"{name}: field required. Add the field"):
        parse(without(document(ISSUED), name))


def test_causation_may_be_absent_and_stays_absent(document):
    bare = without(document(ISSUED), "causationId")
    assert encode(parse(bare)) == rfc8785.dumps(bare)


def test_received_envelope_needs_only_what_we_rely_on(document):
    bare = without(
        document(CONFIRMED),
        "type",
        "specVersion",
        "source",
        "traceId",
        "correlationId",
        "causationId",
        "schemaUrl",
    )
    event = parse(bare)
    assert (event.subject, event.type) == (CONFIRMED, CONFIRMED)
    for name in ("id", "time", "tenantId", "data"):
        with pytest.raises(InvalidEvent, match=name):
            parse(without(bare, name))


C_SPEAKS = {name: of for name, of in ALIASES.items() if name.startswith("melmastoon.")}


@pytest.mark.parametrize(("alias", "subject"), C_SPEAKS.items())
def test_what_comes_under_a_neighbours_name_may_spell_properties_and_people_its_way(alias, subject, document):
    said = document(subject) | {"subject": alias, "type": alias}
    ours = {"propertyId": "ppt_kabul", "userId": "usr_7"}
    theirs = {"propertyId": "prop_kabul", "userId": "opr_7"}
    spelt = {name: theirs[name] for name in ours if name in said["data"]}
    event = parse(said | {"data": {**said["data"], **spelt}})
    assert spelt
    assert event == parse(said | {"data": {**said["data"], **{name: ours[name] for name in spelt}}})


@pytest.mark.parametrize(("alias", "subject"), ALIASES.items())
def test_alias_on_the_wire_is_read_as_its_canonical_subject(alias, subject, document):
    event = parse(document(subject) | {"subject": alias, "type": alias})
    assert (event.subject, event.type) == (subject, subject)
    with pytest.raises(InvalidEvent, match="type: the type differs"):
        parse(document(subject) | {"subject": alias, "type": "melmastoon.other.thing.v1"})


def test_errors_name_fields_and_never_values(document):
    secret = "4711-0815"
    leaky = document(ISSUED)
    leaky["data"]["delivery"] = {"artifact": {"type": "pin", "value": secret}}
    leaky["data"] |= {"pin": secret, "kind": secret, "validFrom": secret, "rooms": [secret], "guestId": 4711}
    with pytest.raises(InvalidEvent) as caught:
        parse(leaky, exact=True)
    shown = "".join(traceback.format_exception(caught.value)) + repr(caught.value)
    assert secret not in shown
    assert paths(caught) >= {"data.delivery.artifact.value", "data.pin", "data.rooms[0]", "data.guestId"}


def test_field_name_that_could_be_a_value_is_not_repeated(document):
    with pytest.raises(InvalidEvent) as caught:
        parse(document(ISSUED, **{"guest@example.org 4711": 1}), exact=True)
    assert paths(caught) == {"(unnameable)"}


def test_problem_reads_as_path_problem_remedy(document):
    with pytest.raises(InvalidEvent) as caught:
        parse(document(REVOKED, without(document(REVOKED)["data"], "vendor")))
    assert str(caught.value) == "data.vendor: field required. Add the field"
    assert isinstance(caught.value, EventError)


def test_data_of_another_tenant_than_its_envelope_is_refused(document):
    payload = document(CONFIRMED)["data"] | {"tenantId": "tnt_other"}
    with pytest.raises(InvalidEvent, match="tenantId differs"):
        parse(document(CONFIRMED, payload))


def test_verify_inbound_refuses_cross_tenant_correlation_without_naming_tenants(document):
    event = parse(document(CONFIRMED))
    verify_inbound(event, f"tnt_{ULID}")
    with pytest.raises(CrossTenant) as caught:
        verify_inbound(event, "tnt_other")
    assert ULID not in str(caught.value)
    assert "tnt_other" not in str(caught.value)


@pytest.mark.parametrize("subject", [CONFIRMED, ISSUED_LOCALLY])
def test_encode_refuses_what_we_do_not_publish(subject, document):
    with pytest.raises(InvalidEvent, match="we do not publish this subject"):
        encode(parse(document(subject)))


def test_encode_validates_even_an_event_built_past_its_model(document):
    event = parse(document(REVOKED))
    forged = event.model_copy(update={"data": event.data.model_copy(update={"reason": "boredom"})})
    with pytest.raises(InvalidEvent) as caught:
        encode(forged)
    assert paths(caught) == {"data.reason"}


def test_encode_refuses_a_number_json_cannot_carry_exactly(document):
    event = parse(document("melmastoon.lock.credential.failed.v1"))
    forged = event.model_copy(update={"data": event.data.model_copy(update={"attempts": 2**60})})
    with pytest.raises(InvalidEvent, match="no canonical form"):
        encode(forged)


def test_encode_refuses_an_event_that_is_too_large(document):
    event = parse(document(ISSUED))
    rooms = tuple(f"rmu_{number:064d}" for number in range(LARGEST_EVENT // 64))
    with pytest.raises(InvalidEvent, match="larger than"):
        encode(event.model_copy(update={"data": event.data.model_copy(update={"rooms": rooms})}))


def test_encode_refuses_a_second_spelling_of_the_same_event(document):
    spoken = {**document(REVOKED)["data"], "replacedBy": None}
    with pytest.raises(InvalidEvent, match="canonical form"):
        encode(parse(document(REVOKED)).model_copy(update={"data": spoken}))


def test_encode_refuses_a_payload_of_another_subject(document):
    forged = parse(document(REVOKED)).model_copy(update={"data": parse(document(ISSUED)).data})
    with pytest.raises(InvalidEvent, match="data"):
        encode(forged)


@pytest.mark.parametrize(
    "bend",
    [
        lambda body: json.dumps(json.loads(body)).encode(),
        lambda body: body.replace(b'{"causationId"', b'{"specVersion":"0","causationId"', 1),
        lambda body: body.replace(b'"keyCredentialId"', b'"replacedBy":null,"keyCredentialId"', 1),
        lambda body: body.replace(b"11:00:01Z", b"11:00:01.000Z"),
    ],
    ids=["spaces", "duplicate key", "null for absent", "zero milliseconds"],
)
def test_publishable_bytes_have_exactly_one_spelling(bend, document):
    body = encode(parse(document(REVOKED)))
    assert require_publishable(body)
    assert bend(body) != body
    with pytest.raises(InvalidEvent):
        require_publishable(bend(body))


def test_parse_payload_reads_a_payload_alone(document):
    payload = parse_payload("reservation.confirmed.v1", document(CONFIRMED)["data"])
    assert isinstance(payload, BookingConfirmedV1)
    with pytest.raises(InvalidEvent, match=r"guest: field required"):
        parse_payload(CONFIRMED, without(document(CONFIRMED)["data"], "guest"))


def test_event_model_is_made_once():
    assert event_model(ISSUED) is event_model(ISSUED)

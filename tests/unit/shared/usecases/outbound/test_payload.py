"""What listeners are told: of every event that there is, no field that a secret could stand in."""

import orjson
import pytest

from shared.domain.errors import InvalidInput
from shared.domain.ids import EventId, ListenerId
from shared.events.catalogue import model_for, subjects
from shared.events.subject import Direction
from shared.kernel.log import SECRET_PARTS
from shared.ledger.listener import DISABLED_AFTER, Listener, ListenerState
from shared.ledger.sending import sending_id
from shared.usecases.outbound.listeners import ListenerWanted, check_url
from shared.usecases.outbound.payload import LEFT_OUT, Told
from shared.vendor_kit.http_aiohttp import is_public

EVENT = EventId("evt_01KSAMP1E00000000000000001")
ONE, OTHER = (ListenerId(f"lsn_01KSAMP1E0000000000000000{each}") for each in (1, 2))
GUARDED = {"opaqueRef", "vendorRef", "pin", "token", "displayName", "email", "phoneE164", "contact", "secret"}


def told_fields(part, defs):
    """Go through the fields that are told, however deep: what is left out takes with it all that it holds."""
    if "$ref" in part:
        yield from told_fields(defs[part["$ref"].rpartition("/")[2]], defs)
    for name, at in part.get("properties", {}).items():
        if name not in LEFT_OUT:
            yield name, at
            yield from told_fields(at, defs)
    inner = [part["items"]] if isinstance(part.get("items"), dict) else []
    for each in (*inner, *part.get("anyOf", ()), *part.get("allOf", ())):
        yield from told_fields(each, defs)


@pytest.mark.parametrize("row", [*subjects(Direction.PRODUCED)], ids=lambda row: row.name)
def test_no_event_tells_a_listener_what_opens_a_door_or_reaches_a_guest(row):
    schema = model_for(row.name).model_json_schema(by_alias=True)
    # A flag says that a lock knows PINs, and no PIN.
    told = told_fields(schema, schema.get("$defs", {}))
    names = {name for name, at in told if at.get("type") != "boolean"}
    assert names
    assert not names & GUARDED
    assert not [name for name in names if any(part in name.lower() for part in SECRET_PARTS)]


def test_of_an_issued_key_its_handle_stays_here_wherever_it_stands():
    event = {"id": EVENT, "subject": "a.b.v1", "tenantId": "tnt_silk", "time": "2026-03-01T09:00:00Z"}
    delivery = {"artifact": {"type": "pin", "opaqueRef": "tk_1"}, "deepLink": "melmastoon://tenant/silk"}
    raw = orjson.dumps({**event, "data": {"delivery": delivery, "rooms": ["rmu_1"]}})
    told = orjson.loads(Told.of(raw, {}, "key_1").payload())
    assert told["data"] == {"delivery": {"deepLink": "melmastoon://tenant/silk"}, "rooms": ["rmu_1"]}


def test_what_is_told_is_the_same_however_often_it_is_handed_over():
    event = {"id": EVENT, "subject": "a.b.v1", "tenantId": "tnt_silk", "time": "2026-03-01T09:00:00Z"}
    raw = orjson.dumps({**event, "data": {"artifact": {"opaqueRef": "tk_1"}, "propertyId": "ppt_1"}})
    told = Told.of(raw, {"sequence": "4"}, "key_1")
    assert told.payload() == Told.of(raw, {"sequence": "4"}, "key_1").payload()
    assert "tk_1" not in told.payload()
    assert (orjson.loads(told.payload())["sequence"], told.property_id) == (4, "ppt_1")
    assert sending_id(ONE, EVENT) == sending_id(ONE, EVENT) != sending_id(OTHER, EVENT)
    for wrong in (b"", b"[]", b'{"id": "evt_1"}'):
        with pytest.raises(InvalidInput):
            Told.of(wrong, {}, "")


def test_a_listener_hears_what_it_asked_for_where_it_asked(now):
    asked = {"events": ("melmastoon.lock.credential.*",), "properties": ("ppt_1",)}
    listener = Listener(id=ONE, url="https://a.example/", by="usr_1", made_at=now, **asked).live()
    heard = "melmastoon.lock.credential.issued.v1"
    assert listener.hears(heard, "ppt_1")
    assert not listener.hears(heard, "ppt_2")
    assert not listener.hears(heard, None)
    assert not listener.hears("melmastoon.lock.device.paired.v1", "ppt_1")
    assert not listener.disabled("gone").hears(heard, "ppt_1")


def test_a_listener_is_spent_after_days_in_a_row_and_never_before(now):
    listener = Listener(id=ONE, url="https://a.example/", by="usr_1", made_at=now, events=("*",)).live()
    failing, at = listener, now
    while not failing.spent:
        at = failing.rests_until or now
        failing = failing.not_reached(at)
    assert at - now >= DISABLED_AFTER - (failing.rests_until - at)
    assert not failing.reached().spent
    assert failing.reached().state is ListenerState.LIVE


@pytest.mark.parametrize(
    "url",
    [
        *(
            "",
            "https://",
            "https:///a",
            "https://a",
            "https://10.0.0.1/",
            "https://[fd00::1]/a",
            "https://[fd00::1/a",
            "https://[a.example]/",
            "https://1/",
        ),
        *(
            "https://a.internal/",
            "https://a.example:0/",
            "https://a.example/\t",
            "https://a.example\\@b.example/",
        ),
        *(
            "https://a.example/" + "a" * 2000,
            "http://a.example/",
            "HTTPS://U:P@a.example/",
            "https://\u0430.example/",
        ),
    ],
)
def test_what_is_no_public_address_is_refused(url):
    with pytest.raises(InvalidInput):
        check_url(url, sandbox=False)


def test_a_sandbox_may_name_its_own_machine_and_nothing_else_may():
    check_url("http://127.0.0.1:3000/hook?a=b", sandbox=True)
    check_url("https://hooks.hotel.example:8443/keys?tenant=silk", sandbox=False)
    with pytest.raises(InvalidInput):
        check_url("http://127.0.0.1:3000/hook", sandbox=False)


def test_only_events_of_ours_can_be_heard():
    for wrong in ("melmastoon.reservation.*", "melmastoon.lock.credential.issued", "issued"):
        wanted = ListenerWanted("https://a.example/", (wrong,), (), "usr_1")
        with pytest.raises(InvalidInput, match="events"):
            wanted.check(sandbox=False)


@pytest.mark.parametrize(
    "address",
    ["::7f00:1", "::a00:1", "64:ff9b:1::a00:1", "fec0::1", "192.0.0.192", "3fff::1", "::ffff:10.0.0.1"],
)
def test_an_inner_address_in_disguise_is_nobodys_to_call(address):
    assert not is_public(address)


OF_NO_PROPERTY = {"melmastoon.lock.vendor_adapter.health_changed.v1"}
"""A vendor's circuit is everybody's, and told in nobody's name."""


@pytest.mark.parametrize("row", [*subjects(Direction.PRODUCED)], ids=lambda row: row.name)
def test_whatever_happens_at_a_property_says_at_which(row):
    fields = model_for(row.name).model_json_schema(by_alias=True)["properties"]
    assert ("propertyId" in fields) is (row.name not in OF_NO_PROPERTY)

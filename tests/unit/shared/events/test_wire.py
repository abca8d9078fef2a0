from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from shared.domain import ids
from shared.domain.kinds import Area, KeyCredentialKind, RevokeReason, SetRole, SuspendReason
from shared.events import wire
from shared.events.credential import SetRole as WireSetRole
from shared.events.wire import (
    ForeignInstant,
    Instant,
    KeyCredentialId,
    Published,
    ReservationId,
    read_instant,
    write_instant,
)

ULID = "01HX4Q8ZT9WKE2M7VR5N3BCD6F"
EARLIEST, LATEST = datetime.fromisoformat("1000-01-01"), datetime.fromisoformat("9999-12-31")
INSTANT, FOREIGN = TypeAdapter(Instant), TypeAdapter(ForeignInstant)


@pytest.mark.parametrize(
    "text", ["2026-04-30T10:13:42.117Z", "2026-05-01T14:00:00Z", "2026-04-30T10:13:42.020Z"]
)
def test_instant_keeps_its_text_to_the_millisecond(text):
    assert write_instant(INSTANT.validate_python(text)) == text


@given(st.datetimes(EARLIEST, LATEST, timezones=st.just(UTC)))
def test_instant_floors_to_the_millisecond_and_then_survives_any_round_trip(moment):
    kept = INSTANT.validate_python(moment)
    assert timedelta() <= moment - kept < timedelta(milliseconds=1)
    assert read_instant(write_instant(kept)) == kept


def test_instant_is_written_as_its_own_in_the_hour_that_a_wall_clock_has_twice():
    first = datetime(2026, 10, 25, 2, 30, tzinfo=ZoneInfo("Europe/Berlin"))
    assert write_instant(first) == "2026-10-25T00:30:00Z"
    assert write_instant(first.replace(fold=1)) == "2026-10-25T01:30:00Z"


@pytest.mark.parametrize(
    "text",
    [
        "2026-05-01T14:00:00+04:30",
        "2026-05-01T14:00:00",
        "2026-05-01T14:00:00.1234Z",
        "2026-05-01 14:00:00Z",
        "2026-05-01",
        "2026-02-30T14:00:00Z",
        "2026-05-01T14:00:00Z\n",
        "٢٠٢٦-05-01T14:00:00Z",
        1777644000,
        None,
    ],
)
def test_instant_refuses_what_we_never_write(text):
    with pytest.raises(ValidationError):
        INSTANT.validate_python(text)


def test_instant_refuses_a_time_without_a_zone():
    with pytest.raises(ValidationError, match="no offset"):
        INSTANT.validate_python(datetime.fromisoformat("2026-05-01T14:00:00"))


def test_foreign_instant_reads_any_offset_as_utc():
    kabul = FOREIGN.validate_python("2026-05-01T14:00:00.1239+04:30")
    assert kabul == datetime(2026, 5, 1, 9, 30, 0, 123000, UTC)
    assert kabul == FOREIGN.validate_python(
        datetime(2026, 5, 1, 14, 0, 0, 123900, timezone(timedelta(hours=4.5)))
    )


@pytest.mark.parametrize("text", ["2026-05-01T14:00:00", "2026-05-01", "2026-05-01T14:00:00+25:00"])
def test_foreign_instant_still_needs_an_unmistakable_time(text):
    with pytest.raises(ValidationError):
        FOREIGN.validate_python(text)


def test_own_ids_are_ulids_and_foreign_ones_keep_their_body_to_themselves():
    own, foreign = TypeAdapter(KeyCredentialId), TypeAdapter(ReservationId)
    assert own.validate_python(f"key_{ULID}")
    assert foreign.validate_python("rsv_anything-goes_1")
    for bad in ("key_1", f"rsv_{ULID}", f"key_{ULID}\n", f"key_{ULID.replace('4', 'I')}"):
        with pytest.raises(ValidationError):
            own.validate_python(bad)


@pytest.mark.parametrize(
    ("wire_words", "domain_words"),
    [
        (wire.KeyKind, KeyCredentialKind),
        (wire.Area, Area),
        (wire.SuspendReason, SuspendReason),
        (wire.RevokeReason, RevokeReason),
        (WireSetRole, SetRole),
    ],
)
def test_wire_and_domain_share_their_vocabulary(wire_words, domain_words):
    assert list(wire_words.__args__) == [word.value for word in domain_words]


SHARED_IDS = [
    (wire.KeyCredentialId, ids.KeyCredentialId),
    (wire.LocalCredentialId, ids.ProvisionalKeyId),
    (wire.MasterKeyId, ids.MasterKeyId),
    (wire.DeviceId, ids.LockDeviceId),
    (wire.EncoderSessionId, ids.EncoderSessionId),
    (wire.AttemptId, ids.AccessAttemptId),
    (wire.WebhookId, ids.WebhookId),
    (wire.VendorAdapterId, ids.VendorAdapterId),
    (wire.ExchangeRef, ids.ArtifactRef),
    (wire.TenantId, ids.TenantId),
    (wire.PropertyId, ids.PropertyId),
    (wire.ReservationId, ids.ReservationId),
    (wire.GuestId, ids.GuestId),
    (wire.RoomId, ids.RoomId),
    (wire.UserId, ids.UserId),
    (wire.DesktopId, ids.DesktopDeviceId),
]
BODIES = [
    ULID,
    ULID.lower(),
    "8" + ULID[1:],
    ULID[1:],
    ULID + "0",
    "a-b_1",
    "x" * 64,
    "x" * 65,
    "",
    "a b",
    "é",
    ULID + "\n",
]


def accepts(read, text: str) -> bool:
    try:
        read(text)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize(("on_wire", "in_domain"), SHARED_IDS, ids=lambda kind: getattr(kind, "prefix", ""))
def test_wire_and_domain_accept_the_same_ids(on_wire, in_domain):
    read = TypeAdapter(on_wire).validate_python
    verdicts = {body: accepts(read, in_domain.prefix + body) for body in BODIES}
    assert verdicts == {body: accepts(in_domain, in_domain.prefix + body) for body in BODIES}
    assert verdicts[ULID]
    assert not accepts(read, f"oth_{ULID}")


class Note(Published):
    """A note."""

    long_name: int


def test_models_are_frozen_and_speak_camel_case():
    note = Note(long_name=1)
    assert note.model_dump(by_alias=True) == {"longName": 1}
    with pytest.raises(ValidationError, match="frozen"):
        note.long_name = 2


def test_validation_error_shows_no_input():
    with pytest.raises(ValidationError) as caught:
        Note(long_name="s3cret")
    assert "s3cret" not in str(caught.value)

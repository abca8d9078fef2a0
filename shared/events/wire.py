"""The wire vocabulary: how ids, instants, codes and windows look in JSON, and the two kinds of model."""

import re
from datetime import UTC, datetime
from functools import lru_cache
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    PlainSerializer,
    PlainValidator,
    StrictBool,
    StrictInt,
    StringConstraints,
    WithJsonSchema,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError

from shared.domain.instants import MOST_REMEMBERED, instant_to_text

SAFE_INTEGER = 2**53 - 1

_ULID = "[0-7][0-9A-HJKMNP-TV-Z]{25}"
_TIME_OF_DAY = "T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
_DATE = "[1-9][0-9]{3}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
INSTANT_PATTERN = rf"^{_DATE}{_TIME_OF_DAY}(\.[0-9]{{3}})?Z$"
_FOREIGN_INSTANT_PATTERN = rf"^{_DATE}{_TIME_OF_DAY}(\.[0-9]{{1,9}})?(Z|[+-][0-9]{{2}}:[0-9]{{2}})$"


class WireModel(BaseModel):
    """Frozen, snake_case in Python, camelCase on the wire; its errors never show what they refused."""

    model_config = ConfigDict(
        frozen=True,
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        hide_input_in_errors=True,
        allow_inf_nan=False,
    )


class Published(WireModel):
    """A part of what we publish: it holds its fields and nothing else."""

    model_config = ConfigDict(extra="forbid")


class Received(WireModel):
    """A part of what others publish: we name what we need and look past the rest; null says nothing."""

    model_config = ConfigDict(extra="ignore")

    @model_validator(mode="before")
    @classmethod
    def _null_is_absent(cls, document: Any) -> Any:
        if not isinstance(document, dict):
            return document
        return {name: value for name, value in document.items() if value is not None}


def own_id(prefix: str) -> StringConstraints:
    """An id we mint: our prefix and a ULID."""
    return StringConstraints(pattern=f"^{prefix}_{_ULID}$")


def foreign_id(prefix: str) -> StringConstraints:
    """An id another service mints: the prefix is agreed, the body is theirs."""
    return StringConstraints(pattern=f"^{prefix}_[0-9A-Za-z_-]{{1,64}}$")


def _code(alphabet: str) -> StringConstraints:
    return StringConstraints(pattern=f"^[a-z]{alphabet}{{0,63}}$")


def text(longest: int) -> StringConstraints:
    """Words for people, of bounded length."""
    return StringConstraints(min_length=1, max_length=longest)


def _absent(value: object) -> bool:
    return value is None


class _AbsentRatherThanNull:
    """Keeps null out of the schema of a field that Python spells None and the wire leaves out."""

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        written = handler(schema)
        branches = [branch for branch in written.pop("anyOf") if branch != {"type": "null"}]
        return written | (branches[0] if len(branches) == 1 else {"anyOf": branches})


T = TypeVar("T")
Maybe = Annotated[T | None, _AbsentRatherThanNull(), Field(default=None, exclude_if=_absent)]
"""An optional field: left out of the document when it has nothing to say."""

KeyCredentialId = Annotated[str, own_id("key")]
LocalCredentialId = Annotated[str, own_id("prov_keycred")]
MasterKeyId = Annotated[str, own_id("mky")]
DeviceId = Annotated[str, own_id("lck")]
EncoderSessionId = Annotated[str, own_id("enc")]
AttemptId = Annotated[str, own_id("kca")]
ExportId = Annotated[str, own_id("exp")]
WebhookId = Annotated[str, own_id("whk")]
DeedId = Annotated[str, own_id("deed")]
BreakGlassId = Annotated[str, own_id("brk")]
VendorAdapterId = Annotated[str, own_id("vad")]
EventId = Annotated[str, own_id("evt")]
ExchangeRef = Annotated[str, own_id("tk")]

TenantId = Annotated[str, foreign_id("tnt")]
PropertyId = Annotated[str, foreign_id("ppt")]
ReservationId = Annotated[str, foreign_id("rsv")]
GuestId = Annotated[str, foreign_id("gst")]
RoomId = Annotated[str, foreign_id("rmu")]
UserId = Annotated[str, foreign_id("usr")]
DesktopId = Annotated[str, foreign_id("dev")]
ShiftId = Annotated[str, StringConstraints(pattern="^[0-9A-Za-z_-]{1,64}$")]
OpaqueId = Annotated[str, StringConstraints(pattern="^[0-9A-Za-z][0-9A-Za-z_:./=+-]{0,127}$")]

# A master key or a front door may reach every room of the largest hotels; an event still fits its 256 KiB.
MOST_ROOMS = 2000
Rooms = Annotated[tuple[RoomId, ...], Field(min_length=1, max_length=MOST_ROOMS)]
PerhapsRooms = Annotated[tuple[RoomId, ...], Field(max_length=MOST_ROOMS)]
VendorCode = Annotated[str, _code("[a-z0-9-]")]
Code = Annotated[str, _code("[a-z0-9_]")]
DottedCode = Annotated[str, _code("[a-z0-9_.]")]
WarningCode = Annotated[str, StringConstraints(pattern="^[A-Z][A-Z0-9_]{0,63}$")]
Sha256 = Annotated[str, StringConstraints(pattern="^sha256:[0-9a-f]{64}$")]
TraceParent = Annotated[str, StringConstraints(pattern="^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$")]
Version = Annotated[str, StringConstraints(pattern="^[0-9A-Za-z][0-9A-Za-z.+_-]{0,31}$")]
Flag = StrictBool
Count = Annotated[StrictInt, Field(ge=0, le=SAFE_INTEGER)]
Whole = Annotated[StrictInt, Field(ge=-SAFE_INTEGER, le=SAFE_INTEGER)]
Percent = Annotated[float, Field(strict=True, ge=0, le=100)]

KeyKind = Literal["mobile_app", "pin_code", "rfid_card", "qr_code", "nfc_tag"]
Area = Literal["lobby", "gym", "pool", "spa", "parking"]
SuspendReason = Literal["no_show", "fraud_review", "overdue_payment", "manual"]
RevokeReason = Literal["checkout", "cancellation", "security", "lost", "replaced"]


def _in_utc(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise PydanticCustomError("instant_naive", "the time has no offset from UTC")
    moment = _as_utc(moment)
    beyond = moment.microsecond % 1000
    return moment.replace(microsecond=moment.microsecond - beyond) if beyond else moment


def _as_utc(moment: datetime) -> datetime:
    return moment if moment.tzinfo is UTC else moment.astimezone(UTC)


def _read(value: object, pattern: re.Pattern[str], form: str) -> datetime:
    if isinstance(value, datetime):
        return _in_utc(value)
    if not isinstance(value, str) or not pattern.fullmatch(value):
        raise PydanticCustomError("instant_form", "the time is not written as {form}", {"form": form})
    try:
        return _in_utc(datetime.fromisoformat(value))
    except (ValueError, OverflowError):
        raise PydanticCustomError("instant_impossible", "no calendar has this time") from None


_OURS, _THEIRS = re.compile(INSTANT_PATTERN), re.compile(_FOREIGN_INSTANT_PATTERN)


def read_instant(value: object) -> datetime:
    """The instant written as we write it: UTC with Z, to the second or the millisecond."""
    return _read(value, _OURS, "2026-05-01T14:00:00Z")


def read_foreign_instant(value: object) -> datetime:
    """The instant as others may write it: any offset, any fraction."""
    return _read(value, _THEIRS, "2026-05-01T14:00:00Z or with an offset")


def write_instant(moment: datetime) -> str:
    """ISO-8601 in UTC with Z; milliseconds appear when there are any."""
    return _spelt(_as_utc(moment))


@lru_cache(MOST_REMEMBERED)
def _spelt(moment: datetime) -> str:
    # Of instants in UTC alone: equal times of one wall clock may be an hour apart. A record spells it too,
    # to the microsecond, of which all six digits stand there or none.
    text = instant_to_text(moment)
    return text if not moment.microsecond else text[:-4] + "Z"


def _instant_schema(pattern: str) -> WithJsonSchema:
    return WithJsonSchema({"type": "string", "format": "date-time", "pattern": pattern})


Instant = Annotated[
    datetime,
    PlainValidator(read_instant),
    PlainSerializer(write_instant, return_type=str),
    _instant_schema(INSTANT_PATTERN),
]
ForeignInstant = Annotated[
    datetime,
    PlainValidator(read_foreign_instant),
    PlainSerializer(write_instant, return_type=str),
    _instant_schema(_FOREIGN_INSTANT_PATTERN),
]


def in_order(start: datetime | None, end: datetime | None) -> None:
    """Refuse a window that ends before it starts."""
    if start is not None and end is not None and end <= start:
        raise PydanticCustomError("window_order", "the window does not end after it starts")

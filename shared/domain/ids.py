"""Ids: a type for each kind of thing, so that a guest can never be passed where a room belongs."""

import re
from collections.abc import Callable
from threading import Lock
from typing import ClassVar, Final, Self

from shared.domain.errors import InvalidId, InvalidInput

_CROCKFORD: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_PAIRS: Final = tuple(high + low for high in _CROCKFORD for low in _CROCKFORD)
_BASE_32: Final = str.maketrans(_CROCKFORD, "0123456789ABCDEFGHIJKLMNOPQRSTUV")
_ULID: Final = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")
_FOREIGN: Final = re.compile(r"[0-9A-Za-z_-]{1,64}")
_RANDOM_BITS: Final = 80
_TIME_BITS: Final = 48


def ulid(timestamp_ms: int, randomness: int) -> str:
    """Encode 48 bits of time and 80 bits of chance as the 26 characters of a ULID."""
    _check_bits("timestamp_ms", timestamp_ms, _TIME_BITS)
    _check_bits("randomness", randomness, _RANDOM_BITS)
    return _encode(timestamp_ms << _RANDOM_BITS | randomness)


def minted_at(identity: str) -> int:
    """Return the milliseconds since 1970 at which an id of ours was minted: it ends in a ULID."""
    return ulid_number(identity[-26:-16])  # its first ten characters are the time


def ulid_number(text: str) -> int:
    """Return a ULID as the number that it writes."""
    return int(text.translate(_BASE_32), 32)


def _check_bits(field: str, value: int, bits: int) -> None:
    if not 0 <= value < 1 << bits:
        raise InvalidInput(field, f"outside {bits} bits", f"Give a number from 0 to 2**{bits} - 1")


def _encode(value: int) -> str:
    # 128 bits and the two before them are 13 pairs of digits.
    return "".join([_PAIRS[value >> place & 1023] for place in range(120, -1, -10)])


class MonotonicUlids:
    """Makes ULIDs that only ever grow: within a millisecond, and when the clock steps back."""

    def __init__(self, clock_ms: Callable[[], int], random_bits: Callable[[int], int]) -> None:
        self._clock_ms = clock_ms
        self._random_bits = random_bits
        self._last = -1
        self._lock = Lock()

    def __call__(self) -> str:
        """Return the next ULID."""
        with self._lock:
            drawn = self._clock_ms() << _RANDOM_BITS | self._random_bits(_RANDOM_BITS)
            same_or_earlier = drawn >> _RANDOM_BITS <= self._last >> _RANDOM_BITS
            # Counting on from the last one carries into the next millisecond rather than running out.
            self._last = self._last + 1 if same_or_earlier else drawn
            return ulid(self._last >> _RANDOM_BITS, self._last & (1 << _RANDOM_BITS) - 1)


class Id(str):
    """A text known to have the right prefix and body; it is a plain string to JSON and to stores."""

    __slots__ = ()
    prefix: ClassVar[str] = ""
    field: ClassVar[str] = "id"
    body: ClassVar[re.Pattern[str]] = _FOREIGN
    body_remedy: ClassVar[str] = "1 to 64 letters, digits, '_' or '-'"

    def __init_subclass__(cls, *, prefix: str | None = None, field: str | None = None) -> None:
        super().__init_subclass__()
        cls.prefix = cls.prefix if prefix is None else prefix
        cls.field = cls.field if field is None else field

    def __new__(cls, value: object) -> Self:
        """Check and brand a text; one that bears this very brand was checked."""
        if type(value) is cls:
            return value
        if not isinstance(value, str):
            raise cls._refusal("not a text")
        if not value.startswith(cls.prefix):
            raise cls._refusal(f"does not start with '{cls.prefix}'")
        if not cls.body.fullmatch(value, len(cls.prefix)):
            raise cls._refusal("malformed" + f" after '{cls.prefix}'" * bool(cls.prefix))
        return str.__new__(cls, value)

    @classmethod
    def parse(cls, value: object, field: str) -> Self:
        """Read an id that came in under `field`, which a refusal will name."""
        try:
            return cls(value)
        except InvalidId as error:
            raise error.at(field) from None

    @classmethod
    def _refusal(cls, problem: str) -> InvalidId:
        return InvalidId(
            cls.field, problem, "Give " + f"'{cls.prefix}' followed by " * bool(cls.prefix) + cls.body_remedy
        )


class ForeignId(Id):
    """An id another service made: we insist on its prefix and leave the rest to them."""

    __slots__ = ()


class OwnId(Id):
    """An id we make: its body is a ULID and nothing else."""

    __slots__ = ()
    body = _ULID
    body_remedy = "a ULID: 26 capital letters and digits without I, L, O and U"

    @classmethod
    def mint(cls, body: str) -> Self:
        """Name a new thing with a fresh ULID."""
        return cls(cls.prefix + body)


class TenantId(ForeignId, prefix="tnt_", field="tenantId"):
    """A hotel company."""

    __slots__ = ()


class PropertyId(ForeignId, prefix="ppt_", field="propertyId"):
    """One hotel."""

    __slots__ = ()


class ReservationId(ForeignId, prefix="rsv_", field="reservationId"):
    """A booking."""

    __slots__ = ()


class GuestId(ForeignId, prefix="gst_", field="guestId"):
    """A guest."""

    __slots__ = ()


class RoomId(ForeignId, prefix="rmu_", field="roomId"):
    """A room."""

    __slots__ = ()


class UserId(ForeignId, prefix="usr_", field="userId"):
    """A member of staff."""

    __slots__ = ()


class IntegratorId(OwnId, prefix="itg_", field="integratorId"):
    """A service account of a tenant."""

    __slots__ = ()


class ShiftId(ForeignId, field="shiftId"):
    """A shift; the specification gives it no prefix."""

    __slots__ = ()


class DesktopDeviceId(ForeignId, prefix="dev_", field="desktopDeviceId"):
    """A front-desk machine."""

    __slots__ = ()


class EventId(ForeignId, prefix="evt_", field="eventId"):
    """An event, ours or consumed."""

    __slots__ = ()

    @classmethod
    def mint(cls, body: str) -> Self:
        """Name a new event of ours with a fresh ULID."""
        return cls(cls.prefix + body)


class LockDeviceId(OwnId, prefix="lck_", field="deviceId"):
    """A lock or encoder."""

    __slots__ = ()


class KeyCredentialId(OwnId, prefix="key_", field="keyCredentialId"):
    """A key credential the cloud knows."""

    __slots__ = ()


class ProvisionalKeyId(OwnId, prefix="prov_keycred_", field="localId"):
    """A key credential made at a desk that could not reach the cloud."""

    __slots__ = ()


class MasterKeyId(OwnId, prefix="mky_", field="masterKeyId"):
    """A staff master key."""

    __slots__ = ()


class GrantId(OwnId, prefix="grt_", field="grantId"):
    """The right of one credential at one lock."""

    __slots__ = ()


class FindingId(OwnId, prefix="fnd_", field="findingId"):
    """Something at a lock that is not as the ledger has it."""

    __slots__ = ()


class EncoderSessionId(OwnId, prefix="enc_", field="encoderSessionId"):
    """The time an encoder is in use by one desk."""

    __slots__ = ()


class AccessAttemptId(OwnId, prefix="kca_", field="attemptId"):
    """Somebody trying a door."""

    __slots__ = ()


class WebhookId(OwnId, prefix="whk_", field="webhookId"):
    """A webhook delivery."""

    __slots__ = ()


class ListenerId(OwnId, prefix="lsn_", field="listenerId"):
    """An address that a tenant has events sent to."""

    __slots__ = ()


class SendingId(OwnId, prefix="snd_", field="sendingId"):
    """One event on its way to one listener."""

    __slots__ = ()


class VendorAdapterId(OwnId, prefix="vad_", field="vendorAdapterId"):
    """A vendor adapter in one environment."""

    __slots__ = ()


class SessionId(OwnId, prefix="bos_", field="sessionId"):
    """A sign-in at the backoffice, on one machine."""

    __slots__ = ()


class SuggestionEntryId(OwnId, prefix="aim_", field="suggestionEntryId"):
    """A suggestion of a model, as it lies in a hotel's inbox."""

    __slots__ = ()


class AlertEntryId(OwnId, prefix="ali_", field="alertEntryId"):
    """An alert, as it lies in a hotel's inbox."""

    __slots__ = ()


class BreakGlassId(OwnId, prefix="brk_", field="breakGlassId"):
    """An incident for which a person is shown a vendor's account."""

    __slots__ = ()


class ArtifactRef(OwnId, prefix="tk_", field="opaqueRef"):
    """What stands for a PIN or token on the wire; stored only hashed, redeemed once."""

    __slots__ = ()


CredentialId = KeyCredentialId | ProvisionalKeyId
"""Either name a key credential may bear."""


def credential_id(value: object, field: str = "id") -> CredentialId:
    """Read a key credential's id, whichever of the two it is, from the named field."""
    local = isinstance(value, str) and value.startswith(ProvisionalKeyId.prefix)
    return (ProvisionalKeyId if local else KeyCredentialId).parse(value, field)

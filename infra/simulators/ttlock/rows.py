"""What the vendor's cloud stores: frozen rows, replaced and never changed."""

from dataclasses import dataclass, field

from infra.simulators.kit.windows import Window

NORMAL, FROZEN_KEY = "110401", "110405"


@dataclass(frozen=True, slots=True)
class Application:
    """A registered client of the platform."""

    client_id: str
    client_secret: str = field(repr=False)
    region: str


@dataclass(frozen=True, slots=True)
class Account:
    """A user of the vendor's app."""

    username: str
    uid: int
    password_md5: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Token:
    """An access token or a refresh token; revoked ones stay known."""

    client_id: str
    username: str
    expires_ms: int
    partner: str = field(repr=False)
    revoked: bool = False


@dataclass(frozen=True, slots=True)
class LockSecrets:
    """What opens or programs a lock; the detail call hands it out, and an adapter must not keep it."""

    admin_pwd: str = field(repr=False)
    lock_key: str = field(repr=False)
    aes_key: str = field(repr=False)
    no_key_pwd: str = field(repr=False)
    lock_data: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Lock:
    """A lock as the cloud knows it; the battery is what the cloud last heard."""

    lock_id: int
    alias: str
    name: str
    mac: str
    admin: str
    feature_value: str
    offset_ms: int
    initialised_ms: int
    heard_battery: int
    secrets: LockSecrets


@dataclass(frozen=True, slots=True)
class Passcode:
    """A passcode in the cloud's list, which says nothing about the door."""

    passcode_id: int
    lock_id: int
    code: str = field(repr=False)
    name: str
    kind: int
    window: Window
    sent_ms: int
    custom: bool
    sender: str


@dataclass(frozen=True, slots=True)
class Card:
    """An IC card in the cloud's list."""

    card_id: int
    lock_id: int
    number: str = field(repr=False)
    name: str
    kind: int
    window: Window
    created_ms: int
    sender: str


@dataclass(frozen=True, slots=True)
class EKey:
    """A key in somebody's phone, as the cloud would have it."""

    key_id: int
    lock_id: int
    holder: str
    name: str
    window: Window
    sent_ms: int
    sender: str
    status: str = NORMAL
    authorised: int = 0
    remote: int = 2
    remarks: str = ""


@dataclass(frozen=True, slots=True)
class QrCode:
    """A code that the cloud shows and the lock computes."""

    qr_id: int
    lock_id: int
    number: int
    name: str
    kind: int
    window: Window
    refresh_minutes: int
    created_ms: int
    creator: str


@dataclass(frozen=True, slots=True)
class Record:
    """One attempt at a door; without a server time it is still in the lock."""

    record_id: int
    lock_id: int
    record_type: int
    type_from_lock: int
    success: bool
    username: str
    secret: str = field(repr=False)
    lock_ms: int
    server_ms: int | None = None

"""What is kept of desks: who works there, what proves them, what they were told, and what they told."""

import base64
import json
from types import SimpleNamespace

from nacl.signing import SigningKey

from shared.domain.ids import DesktopDeviceId, PropertyId, UserId, credential_id
from shared.domain.kinds import KeyCredentialKind, VendorCode
from shared.domain.premises import Property
from shared.offline.chain import GENESIS, NO_SECRET, commitment, link
from shared.offline.rows import PURPOSE as OF_FACTS
from shared.offline.rows import REVOKED, SIGNATURE
from shared.offline.signing import message
from shared.ports.documents import Ref
from shared.usecases.desk.authority import CERTIFICATES, SIGNS, DeskAuthority
from shared.usecases.desk.certificates import REVOCATIONS, revocations, stop_desk
from shared.usecases.desk.desks import NONCES, DeskRecord, KnownDesk, _only_once
from shared.usecases.desk.heard_orders import ORDERS, HeardOrder, Meant
from shared.usecases.desk.lock_keys import COLLECTION, keep_lock_keys, radio_locks
from shared.usecases.desk.lock_keys import PURPOSE as OF_LOCKS
from shared.usecases.desk.pairing import INVITATIONS, Invite, Pair, invite, pair
from shared.usecases.desk.pairing import PURPOSE as OF_PAIRING
from shared.usecases.desk.push import ROWS, push
from shared.usecases.desk.services import DeskRefused, DeskServices
from shared.usecases.desk.staff import STAFF, staff_at, staff_orders
from shared.vendor_kit.desk_jobs import PRESENCE, DeskJobs
from tests.support.by_hand.world import HOTEL, LOCK, NOW, SILK, Kind

MACHINE = SigningKey(b"\x02" * 32)
INVITED, SECRET = "HC2OMUQ", "4RG2P4QNTYTA"
"""The code that the first chance of a world makes."""
LOCKS = (SimpleNamespace(id=LOCK, vendor=VendorCode("ttlock"), vendor_device="1000204"),)
KEYS = {"mac": "AA:BB:CC:11:22:33", "aes": "0a" * 16, "admin": "0b" * 4, "unlock": "0c" * 4}
MAY = [f"lock.key.{each}" for each in ("extend", "issue", "read", "replace", "revoke")]
KEY = credential_id("key_01KSAMP1E00000000000000204")
DESK = DeskRecord(
    id=DesktopDeviceId("dev_01KSAMP1E00000000000000001"),
    property_id=PropertyId(HOTEL),
    key=base64.b64encode(bytes(MACHINE.verify_key)).decode(),
    name="left",
    paired_by=UserId("usr_1"),
    paired_at=NOW,
    kinds=(KeyCredentialKind.RFID_CARD,),
    certified_at=NOW,
    serials=("lock-oic-2026-11-20-01KSAMP1E00000000000000001",),
)


class Hotels:
    """One hotel with one lock."""

    def __init__(self, world):
        self._world = world

    async def admit(self, tenant):
        return self._world.documents.tenant(tenant)

    async def premises(self, _tenant, _property):
        hotel = Property(id=PropertyId(HOTEL), name="Kabul", zone="Asia/Kabul")
        return SimpleNamespace(property=hotel, devices=LOCKS)


def services(world):
    """Return what the commands on desks work with."""
    ambient = {name: getattr(world, name) for name in ("entropy", "ids", "clock", "log", "now")}
    return DeskServices(SimpleNamespace(hotels=Hotels(world), **ambient), world.sealed, world.cipher)


def known(world, record=DESK):
    return KnownDesk(SILK, record, world.silk)


def of_staff(user, *roles):
    body = {"tenant": SILK, "property": HOTEL, "user": user, "roles": [*roles], "pin": "204204"}
    return lambda world: staff_orders(body, services(world))


async def rights(world):
    found = await staff_at(world.silk, PropertyId(HOTEL), services(world))
    return [(each.user, sorted(each.permissions)) for each in found]


def of_lock(keys):
    body = {"tenant": SILK, "property": HOTEL, "lock": LOCK, "by": "usr_1", "keys": keys}
    return lambda world: keep_lock_keys(body, services(world))


async def by_radio(world):
    setup = await Hotels(world).premises(SILK, HOTEL)
    (lock,) = await radio_locks(known(world), setup, {LOCK: "204"}, services(world))
    return lock.door, json.loads(lock.material(MACHINE).reveal())


async def certified_by(world):
    """Return the public half of what signs certificates."""
    return bytes((await DeskAuthority(SILK, services(world)).signs(CERTIFICATES)).verify_key).hex()


async def paired(world):
    """Return for which desk a code is, as whoever shows it is told."""
    code = f"{INVITED}-{SECRET}"
    signature = MACHINE.sign(message(OF_PAIRING, {"tenant": SILK, "code": code, "key": DESK.key})).signature
    return (await pair(Pair(SILK, code, bytes(MACHINE.verify_key), signature), services(world)))["device"]


def stopped(record):
    async def stop(world):
        await world.silk.commit([record.write()])
        await stop_desk(record, world.silk, services(world))

    return stop


async def number_and_serials(world):
    found = await revocations(world.silk, services(world))
    return found.number, found.serials


async def once(world):
    await _only_once(SimpleNamespace(device=DESK.id, nonce="0a" * 8), world.silk, services(world))


async def replayed(world):
    try:
        await once(world)
    except DeskRefused as refusal:
        return refusal.reason


def order(world):
    return HeardOrder(known(world), "0b" * 8, {"rooms": ["204"]}, services(world))


async def ordered(world):
    heard = order(world)
    await heard.made()
    await heard.meaning(Meant(KEY, 2))
    return heard


async def carried_out(world):
    await (await ordered(world)).keep([KEY])


async def meant(world):
    heard = order(world)
    made = await heard.made()
    return made, await heard.meaning(Meant(credential_id("key_01KSAMP1E00000000000000999"), 9))


async def again_made(world):
    heard = order(world)
    await heard.made()
    await heard.keep([KEY, KEY])


def jobs(world):
    return DeskJobs(world.silk, world.clock, "generic-wiegand", HOTEL)


async def seen_later(world):
    world.later(minutes=10)
    await jobs(world).pulled()


def row():
    """Return a row as the desk tells it: it withdrew a key, and does not say for which reason."""
    told = {"localId": "prov_1", "removedAtLock": True}
    told[SIGNATURE] = base64.b64encode(MACHINE.sign(message(OF_FACTS, told)).signature).decode()
    body, hidden = json.dumps(told), commitment(NO_SECRET, NO_SECRET)
    fact = ("2026-11-20T05:59:00Z", REVOKED, "prov_1", body.encode())
    whole = link(GENESIS, 1, fact, hidden)
    texts = {"at": fact[0], "subject": REVOKED, "keyId": "prov_1", "body": body}
    bytes_ = {"commitment": hidden, "hash": whole}
    return {"sequence": 1, **texts, **{name: base64.b64encode(bytes_[name]).decode() for name in bytes_}}


async def pushed(world):
    found = DESK.as_found((await world.silk.commit([DESK.write()]))[0])
    return await push(known(world, found), {"rows": [row()]}, services(world))


async def standing(world):
    heard = DeskRecord(**{**_fields(DESK), "pushed": 1, "head": base64.b64decode(row()["hash"]).hex()})
    return await push(known(world, heard), {"rows": [row()]}, services(world))


def _fields(record):
    names = ("id", "property_id", "key", "name", "paired_by", "paired_at", "kinds", "certified_at", "serials")
    return {name: getattr(record, name) for name in names}


OTHER = DeskRecord(**{**_fields(DESK), "id": DesktopDeviceId("dev_01KSAMP1E00000000000000002")})
KINDS = {
    ("desk_staff", "at a desk"): Kind(
        ref=Ref(STAFF, HOTEL),
        write=of_staff("usr_night", "front_desk"),
        read=rights,
        means=[(UserId("usr_night"), MAY)],
        again=of_staff("usr_day", "front_desk"),
    ),
    ("desk_keys", "of locks by radio"): Kind(
        ref=Ref(COLLECTION, f"{OF_LOCKS}.{HOTEL}"),
        write=of_lock(KEYS),
        read=by_radio,
        means=("204", KEYS),
        again=of_lock(KEYS | {"unlock": "0d" * 4}),
        sealed=True,
    ),
    ("desk_keys", "of certificates"): Kind(
        ref=Ref(COLLECTION, f"{SIGNS}.{CERTIFICATES}"),
        write=certified_by,
        read=certified_by,
        means="0c51c67faa93d3fd677edc222df5d8346af23f780df3cb3a5f8dca3537b8cddd",
        sealed=True,
    ),
    ("desk_invitations", "invited"): Kind(
        ref=Ref(INVITATIONS, INVITED),
        write=lambda world: invite(Invite(SILK, PropertyId(HOTEL), UserId("usr_1"), "left"), services(world)),
        read=paired,
        means=DESK.id,
        again=paired,
    ),
    ("desk_settings", "revocations"): Kind(
        ref=REVOCATIONS,
        write=stopped(DESK),
        read=number_and_serials,
        means=(2, {*DESK.serials}),
        again=stopped(OTHER),
    ),
    ("desk_nonces", "asked"): Kind(
        ref=Ref(NONCES, f"{DESK.id}.{'0a' * 8}"), write=once, read=replayed, means="replayed"
    ),
    ("desk_orders", "ordered"): Kind(
        ref=Ref(ORDERS, f"{DESK.id}.{'0b' * 8}"),
        write=ordered,
        read=meant,
        means=(None, Meant(KEY, 2)),
        again=again_made,
    ),
    ("desk_orders", "carried out"): Kind(
        ref=Ref(ORDERS, f"{DESK.id}.{'0b' * 8}"),
        write=carried_out,
        read=meant,
        means=([KEY], Meant(KEY, 2)),
        again=again_made,
    ),
    ("desk_presence", "seen"): Kind(
        ref=Ref(PRESENCE, f"generic-wiegand-{HOTEL}"),
        write=lambda world: jobs(world).pulled(),
        read=lambda world: jobs(world).desk_is_silent(),
        means=False,
        again=seen_later,
        whole="a sign of life says when it came, and the next one says all that it did",
    ),
    ("desk_rows", "refused"): Kind(
        ref=Ref(ROWS, f"{DESK.id}.00000001"),
        write=pushed,
        read=standing,
        means={"heard": 1, "keys": {"prov_1": {"keyCredentialId": None, "state": "failed"}}},
    ),
}

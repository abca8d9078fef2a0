"""What is kept of the audit log: its keys, its guests, its witnesses, its term, and who asked for what."""

import json
from contextlib import suppress
from datetime import date, timedelta
from types import SimpleNamespace

from shared.audit.notes import SignatureType, VerifierKey
from shared.domain.ids import GuestId, UserId
from shared.ports.documents import Ref
from shared.usecases.audit.anchor_cell import WITNESS
from shared.usecases.audit.disclosures import LOG, Disclosure, note, tell_disclosure
from shared.usecases.audit.guests import KEYS, SUBJECTS, GuestKeys
from shared.usecases.audit.openings import Opening, _expiries, _gathered
from shared.usecases.audit.rights import EXPIRIES, GuestRequest, _reviewed, hold, keep_for, requests
from shared.usecases.audit.services import PLATFORM, RETENTION, AuditServices
from shared.usecases.audit.signers import KEYS as SIGNING
from shared.usecases.audit.signers import Signers, check
from shared.usecases.audit.witnessing import (
    DESKS,
    bucket_settings,
    desks,
    set_up_bucket,
    trust_desk,
    witnesses,
)
from tests.support.by_hand.world import NOW, SILK, Kind

GUEST = "gst_01HX4Q8ZT9WKE2M7VR5N3BCD6F"
ASKED = GuestRequest(SILK, GuestId(GUEST), UserId("usr_1"), "police_request")
ALIAS = "alias:7366bed32e45eec2b5b25f4c55feba3d400c5be5894e3221d2eb7035197b2c7f"
EXPORT = "exp_01KSAMP1E00000000000000001"
PUBLIC = "audit.example/local/tnt_silk+70cc5352+AQxRxn+qk9P9Z37cIi312DRq8j94DfPLOl+NyjU3uM3d"
TAKEN = {"at": "2026-11-20T06:00:00Z", "by": "usr_1", "kind": "guest"}
GOES = {"v": 1, "kind": "expiry", "tenant": SILK, "policy": "regulated"}
GOES |= {"first": 0, "count": 0, "at": TAKEN["at"]}
GUEST_KEY = "38b4e652e44da7f2370d9e260e27136550a4a3a6d07f5c0c332f8b1224083fd2"
ORIGIN = "audit.example/local/tnt_silk"
FRONT = VerifierKey("front", b"\x01" * 32, SignatureType.COSIGNATURE)
BACK = VerifierKey("back", b"\x02" * 32, SignatureType.COSIGNATURE)


def services(world):
    """Return what the commands on the log work with."""
    return AuditServices.on(world)


def kept_for(days):
    return lambda world: keep_for({"tenant": SILK, "days": days}, services(world))


async def term(world):
    return (await services(world).kept_for(SILK)) // timedelta(days=1)


def bucket(name):
    return lambda world: set_up_bucket({"bucket": name, "region": "eu-1"}, services(world))


async def witnessed_by(world):
    found = await bucket_settings(services(world))
    return found.bucket, found.region, [each.name for each in await witnesses(services(world))]


def trusting(key):
    return lambda world: trust_desk({"key": str(key)}, services(world))


async def trusted(world):
    return await desks(services(world))


def signers(world):
    return Signers(world.sealed, world.cipher, SILK)


async def drawn(world):
    await signers(world).draw(ORIGIN, world.entropy)


async def signature(world):
    """Say whether what the kept key signs is proved by the public half that its log has."""
    key = VerifierKey.parse(PUBLIC)
    return check(key.public_key, b"checkpoint", (await signers(world).signing([key]))(key)(b"checkpoint"))


def guests(world):
    return GuestKeys(SILK, world.silk, world.sealed_silk, world.cipher)


async def heard_of(world):
    return (await guests(world).subjects([GUEST], world.entropy, NOW))[0]


async def behind_alias(world):
    found = await guests(world).behind(ALIAS)
    return found.guest_id, found.alias


async def of_guest(world):
    found = await guests(world).of(GUEST)
    return found.key.hex(), found.alias


async def held(world):
    await hold(ASKED, services(world))


async def asked(world):
    """Show somebody a guest's entries; that it was done cannot be told just then."""
    world.bus.away = True
    with suppress(ConnectionError):
        await note(Disclosure(ASKED.asked, ASKED.by, "export", "shown", ALIAS), services(world))
    world.bus.away = False


async def listed(world):
    (one,) = (await requests(SILK, services(world)))["requests"]
    return one


async def told(world):
    return await tell_disclosure(EXPORT, world.silk, world.bus)


async def over(world):
    """Find a guest's time over, of whom the log has nothing."""
    await heard_of(world)
    found = await world.silk.get(Ref(SUBJECTS, ALIAS))
    await _reviewed(found, date(2026, 11, 20), world.silk, timedelta(days=2557))


def book(world):
    return SimpleNamespace(on=services(world), tenant=SILK, record=SimpleNamespace(coming=None))


async def to_be_said(world):
    """Return whose bodies the log will say are gone, and in which words."""
    found = _gathered(book(world), await _expiries(book(world)))
    return found["expiries"], [json.loads(each) for each in found["entries"]]


async def said(world):
    await world.silk.commit([*Opening(expiries=tuple(await _expiries(book(world)))).announced("2026-11-21")])


KINDS = {
    ("audit_settings", "retention"): Kind(
        ref=RETENTION, write=kept_for(3000), read=term, means=3000, again=kept_for(4000)
    ),
    ("audit_settings", "witness"): Kind(
        ref=WITNESS,
        write=bucket("outside"),
        read=witnessed_by,
        means=("outside", "eu-1", ["outside/local"]),
        again=bucket("elsewhere"),
        tenant=PLATFORM,
    ),
    ("audit_settings", "desks"): Kind(
        ref=DESKS, write=trusting(FRONT), read=trusted, means=[FRONT], again=trusting(BACK), tenant=PLATFORM
    ),
    ("audit_keys", "of a log"): Kind(
        ref=Ref(SIGNING, "note.70cc5352"), write=drawn, read=signature, means=True, sealed=True
    ),
    ("guest_keys", "of a guest"): Kind(
        ref=Ref(KEYS, GUEST), write=heard_of, read=of_guest, means=(GUEST_KEY, ALIAS), sealed=True
    ),
    ("audit_subjects", "of a guest"): Kind(
        ref=Ref(SUBJECTS, ALIAS),
        write=heard_of,
        read=behind_alias,
        means=(GUEST, ALIAS),
        again=held,
        beside=heard_of,
    ),
    ("dsar_log", "to be told"): Kind(
        ref=Ref(LOG, EXPORT),
        write=asked,
        read=listed,
        means={"id": EXPORT, "what": "export", "outcome": "shown", "about": ALIAS, **TAKEN},
        again=told,
        beside=asked,
    ),
    ("audit_expiries", "over"): Kind(
        ref=Ref(EXPIRIES, ALIAS), write=over, read=to_be_said, means=([ALIAS], [GOES]), again=said
    ),
}

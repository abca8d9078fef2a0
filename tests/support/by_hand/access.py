"""What opens accounts and doors elsewhere: people stopped, accounts and whose they are, tokens, requests."""

from dataclasses import replace
from types import SimpleNamespace

from shared.domain.ids import BreakGlassId, LockDeviceId, PropertyId, UserId
from shared.domain.kinds import VendorCode
from shared.domain.secret import Secret
from shared.ledger.break_glass import BOXES, BreakGlass, find_box
from shared.ledger.challenge import CODES, Challenge, ChallengeCodes
from shared.ports.documents import Ref
from shared.runtime.asked_before import REQUESTS, AskedBefore
from shared.usecases.accounts.deeds import DEEDS, Deed, tell_deed
from shared.usecases.accounts.services import NEXT, OF_CALLBACKS, WAITING, SealedDocuments, next_account
from shared.usecases.backoffice.console_sessions import ENDINGS, ended_until, ending
from shared.usecases.hotels.staff_access import STOPPED, StaffAccess, stop_person
from shared.vendor_kit.account_owners import CELL as OF_CELL
from shared.vendor_kit.account_owners import OWNERS, AccountOwners, AccountShared, Owner, identity_of
from tests.support.by_hand.desks import Hotels
from tests.support.by_hand.world import HOTEL, LOCK, NOW, SILK, Kind

TTLOCK = VendorCode("ttlock")
PERSON = UserId("usr_left")
ONCE = Ref(REQUESTS, "9fe418c939f9ebe6264b853275168b990eb69a1d")
DEED = "deed_01KSAMP1E00000000000000001"
ACCOUNT = Secret(b'{"username":"house","password":"p"}')
OURS, THEIRS = Owner(SILK, PropertyId(HOTEL)), Owner(SILK, PropertyId("ppt_lake"))
GLASS = BreakGlass(
    id=BreakGlassId("brk_01KSAMP1E00000000000000001"),
    vendor=TTLOCK,
    property_id=PropertyId(HOTEL),
    incident="INC-1",
    because="the vendor is down",
    asked_by=UserId("usr_1"),
    asked_at=NOW,
    minutes=30,
    seal_to="age1",
    until=NOW.replace(hour=7),
    due=NOW.replace(hour=7),
)
CHALLENGE = Challenge(
    device_id=LockDeviceId(LOCK),
    property_id=PropertyId(HOTEL),
    vendor=TTLOCK,
    turn="1",
    by=UserId("usr_1"),
    asked_at=NOW,
    until=NOW.replace(minute=10),
)


async def stopped(world):
    access = StaffAccess(Hotels(world), world.clock.now)
    return [await access.is_stopped(SILK, each, anew=True) for each in (PERSON, UserId("usr_stays"))]


class KnownAccounts:
    """Secrets in which a property has an account still, or has it no more."""

    def __init__(self, account):
        self._account = account

    async def latest(self, _):
        return SimpleNamespace(value=self._account)


def claiming(owner, account=ACCOUNT):
    secrets = KnownAccounts(account)
    return lambda world: AccountOwners(world.documents, secrets, TTLOCK).claim(ACCOUNT, owner)


async def claimed(world):
    """Return who may open with the account: its owner, and nobody else."""
    try:
        await claiming(THEIRS)(world)
    except AccountShared:
        await claiming(OURS)(world)
        return "ours alone"


def sealed_of(world):
    return SealedDocuments(world.sealed_silk, world.cipher)


def keeping(collection, name, purpose, secret):
    return lambda world: sealed_of(world).keep(collection, name, purpose, Secret(secret), NOW)


def finding(collection, name, purpose):
    async def find(world):
        return (await sealed_of(world).find(collection, name, purpose)).reveal()

    return find


async def done(world):
    about = {"vendor": "ttlock", "property_id": HOTEL}
    await world.silk.commit(Deed("account_taken", "usr_1", "leaked", about).writes(SILK, world))


async def told(world):
    """Return what was told of a deed, and whether it is told a second time."""
    first = await tell_deed(DEED, world.silk, world.bus)
    return first, await tell_deed(DEED, world.silk, world.bus), world.bus.told


async def code_of(world):
    return (await ChallengeCodes(world.sealed_silk, world.cipher).find(CHALLENGE)).reveal()


def ended(at):
    async def end(world):
        await world.silk.commit([await ending(PERSON, at, world.silk)])

    return end


def request():
    return SimpleNamespace(headers={"idempotency-key": "once"}, method="POST", scope={"path": "/v1/keys"})


def asked(event="evt_1", now=NOW):
    route = SimpleNamespace(method="POST", path="/v1/keys")
    principal = SimpleNamespace(id=PERSON)
    return SimpleNamespace(
        principal=principal, by=PERSON, route=route, event_id=event, now=now, since=None, places=[]
    )


async def begun(world, of=None):
    return await AskedBefore.of(request(), of or asked(), b'{"room":"204"}', world.silk)


async def answered(world):
    response = SimpleNamespace(status_code=201, headers={"etag": '"1"'}, body=b'{"key":"key_1"}')
    await (await begun(world)).keep(asked(), response)


async def heard_before(world):
    """Return what an asker is told who asks again: the same event, the same time, the same answer."""
    now = asked("evt_2", NOW.replace(hour=7))
    before = await begun(world, now)
    before.told(now)
    answer = before.answer(now)
    return now.event_id, now.since, answer and (answer.status_code, answer.body)


KINDS = {
    ("stopped_people", "stopped"): Kind(
        ref=Ref(STOPPED, PERSON),
        write=lambda world: stop_person(PERSON, NOW, world.silk),
        read=stopped,
        means=[True, False],
    ),
    ("account_owners", "of a property"): Kind(
        ref=Ref(OWNERS, f"{TTLOCK}-{identity_of(ACCOUNT)}"),
        write=claiming(OURS),
        read=claimed,
        means="ours alone",
        again=claiming(THEIRS, Secret(b'{"username":"another"}')),
        whole="it is another's account from then on, of whom nobody has written anything yet",
        tenant=OF_CELL,
    ),
    ("account_callbacks", "waiting"): Kind(
        ref=Ref(WAITING, "rotation-1"),
        write=keeping(WAITING, "rotation-1", OF_CALLBACKS, b"https://saga.example/1"),
        read=finding(WAITING, "rotation-1", OF_CALLBACKS),
        means=b"https://saga.example/1",
        again=keeping(WAITING, "rotation-1", OF_CALLBACKS, b"https://saga.example/2"),
        whole="whom to wake is told anew by whoever waits, and by nobody else",
        sealed=True,
    ),
    ("next_accounts", "the next"): Kind(
        ref=Ref(NEXT, "ttlock-1"),
        write=keeping(NEXT, "ttlock-1", next_account("ttlock"), ACCOUNT.reveal()),
        read=finding(NEXT, "ttlock-1", next_account("ttlock")),
        means=ACCOUNT.reveal(),
        again=keeping(NEXT, "ttlock-1", next_account("ttlock"), b"another"),
        whole="another account is to be used next: what was said of the one before is not so of this one",
        sealed=True,
    ),
    ("account_deeds", "to be told"): Kind(
        ref=Ref(DEEDS, DEED),
        write=done,
        read=told,
        means=(True, False, ["melmastoon.lock.vendor_account.handled.v1"]),
        again=told,
        beside=done,
    ),
    ("opened_accounts", "sealed to who asked"): Kind(
        ref=Ref(BOXES, GLASS.id),
        write=lambda world: GLASS.keep_box(b"sealed", world.sealed_silk),
        read=lambda world: find_box(world.sealed_silk, GLASS.id),
        means="c2VhbGVk",
        again=lambda world: replace(GLASS, minutes=20).keep_box(b"again", world.sealed_silk),
        whole="the account is sealed anew, for half an hour at most",
        sealed=True,
    ),
    ("challenge_codes", "to be typed"): Kind(
        ref=Ref(CODES, f"{LOCK}.1"),
        write=lambda world: ChallengeCodes(world.sealed_silk, world.cipher).keep(CHALLENGE, Secret("204204")),
        read=code_of,
        means="204204",
        sealed=True,
    ),
    ("console_endings", "ended"): Kind(
        ref=Ref(ENDINGS, PERSON),
        write=ended(NOW),
        read=lambda world: ended_until(PERSON, world.silk),
        means=NOW,
        again=ended(NOW.replace(hour=8)),
    ),
    ("api_requests", "asked"): Kind(
        ref=ONCE, write=begun, read=heard_before, means=("evt_1", NOW, None), again=answered
    ),
    ("api_requests", "answered"): Kind(
        ref=ONCE,
        write=answered,
        read=heard_before,
        means=("evt_1", NOW, (201, b'{"key":"key_1"}')),
        again=answered,
    ),
}

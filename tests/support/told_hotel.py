"""The sample hotel with messengers: catchers in place of providers, on the same virtual clock."""

import asyncio
from collections import deque

import orjson
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from starlette.applications import Starlette

from functions.notifications.carriers import MAIL_LINES, PDU_LINES
from infra.catchers.mail_server import SmtpSession
from infra.catchers.mailbox_server import PASSWORD, USER, PopSession
from infra.catchers.outbox import Outbox
from infra.catchers.providers import Providers
from infra.catchers.sms_centre import USER as SYSTEM
from infra.catchers.sms_centre import Centre, CentreSession
from infra.local.simulation.loop import run_virtually
from shared.domain.secret import Secret
from shared.ledger.guest_devices import GuestDevice, GuestDevices
from shared.vendor_kit.http import Call
from tests.contract.lock.simulated_setting import Straight
from tests.support.guests import GUEST, SILK, settle
from tests.support.sample_hotel import SampleHotel, hunted
from tests.support.simulated import simulated_fleet

PROVIDERS = "http://127.0.0.1:8789"
_KEY = rsa.generate_private_key(65537, 2048).private_bytes(
    serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
)
ACCOUNTS = {
    "email": {
        "host": "127.0.0.1",
        "port": 2525,
        "from": "keys@silk.example",
        "webhookSecret": "c2VjcmV0",
        "bounces": {
            "address": "bounces@silk.example",
            "key": "c2VjcmV0LW9mLXNpeHRlZW4tYnl0ZXM=",
            "host": "127.0.0.1",
            "port": 1110,
            "user": USER,
            "password": PASSWORD,
        },
    },
    "sms": {"baseUrl": PROVIDERS, "account": "AC1", "token": "tok", "from": "SilkRoad"},
    "push": {
        "baseUrl": PROVIDERS,
        "tokenBaseUrl": PROVIDERS,
        "project_id": "silk",
        "client_email": "push@silk.example",
        "private_key": _KEY.decode(),
    },
}


class CaughtLines:
    """Lines to a mail server that is in the same process."""

    def __init__(self, outbox, faults):
        self.outbox, self.faults = outbox, faults

    async def open(self, host, port, *, encrypted):
        if self.faults and self.faults[0] == "down":
            self.faults.popleft()
            raise ConnectionRefusedError
        if port == ACCOUNTS["email"]["bounces"]["port"]:
            return _Line(PopSession(self.outbox.returned))
        return _Line(SmtpSession(self.outbox, self.faults))


class CentreLines:
    """Lines to an SMS centre that is in the same process."""

    def __init__(self, centre):
        self.centre = centre

    async def open(self, host, port, *, encrypted):
        if self.centre.faults and self.centre.faults[0] == "down":
            self.centre.faults.popleft()
            raise ConnectionRefusedError
        return _CentreLine(CentreSession(self.centre))


class _CentreLine:
    def __init__(self, session):
        self.session, self.said = session, deque()

    async def say(self, pdu):
        self.said += self.session.received(pdu)

    async def hear(self, within):
        if not self.said and self.session.over:
            raise EOFError
        if not self.said:
            await asyncio.sleep(within)
            raise TimeoutError
        return self.said.popleft()

    async def hang_up(self):
        self.said.clear()


class _Line:
    def __init__(self, session):
        self.session, self.said = session, deque([*session.greeting().splitlines(keepends=True)])

    async def say(self, line):
        for each in line.splitlines(keepends=True):
            self.said += self.session.received(each).splitlines(keepends=True)

    async def hear(self):
        if not self.said:
            raise ConnectionError("hung up")
        return self.said.popleft()

    async def hang_up(self):
        self.said.clear()


class ToldHotel(SampleHotel):
    """The sample hotel, whose guests have mail, telephones and perhaps the app."""

    def __init__(self, clock, seed):
        super().__init__(clock, seed)
        self.outbox = Outbox(clock.now)
        self.providers = Providers(self.outbox, self._tell, "AC1", "tok")
        self.faults = self.providers.faults
        self.centre = Centre(self.outbox, "tok")
        self.straight = Straight(Starlette(routes=self.providers.routes))

    async def send(self, call):
        """Be the world outside: TTLock, and providers."""
        if call.url.startswith(PROVIDERS):
            return await self.straight.send(call)
        return await super().send(call)

    async def _tell(self, url, headers, body):
        answer = await self.fleet.means.transport.send(Call("POST", url, headers, body, timeout=30))
        assert answer.status in (204, 401), answer

    async def open(self, app=None, **settings):
        """Set up messages, with accounts at every provider, and perhaps a guest's app."""
        await settle(self, **settings)
        on = self.fleet.platform
        on.kept[MAIL_LINES] = CaughtLines(self.outbox, self.faults["email"])
        on.kept[PDU_LINES] = CentreLines(self.centre)
        for way, account in ACCOUNTS.items():
            await on.secrets.add(f"notify-{way}-{SILK}-api", Secret(orjson.dumps(account)))
        if app is not None:
            devices = GuestDevices(on.documents.tenant(SILK), self.fleet.cipher)
            until = on.clock.now().replace(year=on.clock.now().year + 1)
            await devices.register("rsv_1", GuestDevice("fid", Secret(app)), until)

    async def use_centre(self, **more):
        """Have SMS go by an operator's own centre from now on."""
        account = {"protocol": "smpp", "host": "127.0.0.1", "systemId": SYSTEM, "password": "tok"}
        account |= {"from": "SilkRoad", **more}
        await self.fleet.platform.secrets.add(f"notify-sms-{SILK}-api", Secret(orjson.dumps(account)))

    async def book(self, event="evt_1", **data):
        """Book a stay for a guest with a mail address and a telephone."""
        await self.publish(event, **{"guest": GUEST, **data})

    async def notices(self):
        """Return what guests are told, the oldest first."""
        kept = (await self.documents("notices")).values()
        return sorted(kept, key=lambda each: each["made"])

    def caught(self, channel=None):
        """Return what arrived."""
        return self.outbox.listed(channel)


def play_told(home, scenario, seed=0, **world):
    """Run a scenario in the sample hotel whose guests are written to."""

    async def main(clock):
        house = ToldHotel(clock, seed)
        async with simulated_fleet(home, clock, seed, outside=house, **world) as on:
            house.on = on
            return await hunted(house, scenario)

    return run_virtually(main, seed)

"""Who asks TTLock, and for what; and who carries a change to the lock."""

from dataclasses import dataclass
from typing import ClassVar

from infra.simulators.kit import call as kit
from infra.simulators.kit.errors import Code, Refused
from infra.simulators.kit.windows import ALWAYS, Window
from infra.simulators.ttlock.cloud import Cloud
from infra.simulators.ttlock.rows import Account, Application, Lock

INVALID_PARAMETER = -3
BLUETOOTH, GATEWAY, NB_IOT, LATER = 1, 2, 3, 4
UNSUPPORTED = {NB_IOT: -4067, LATER: -4043}


@dataclass(frozen=True, slots=True)
class Call(kit.Call):
    """The application and the account that ask, and with which fields."""

    malformed: ClassVar[Code] = INVALID_PARAMETER
    application: Application
    account: Account

    def window(self) -> Window:
        """Return the required startDate and endDate; both 0 is for ever."""
        window = Window(self.number("startDate"), self.number("endDate"))
        if window != ALWAYS and not 0 <= window.start < window.end:
            raise Refused(self.malformed)
        return window

    def own_lock(self, cloud: Cloud) -> Lock:
        """Return the lock that the call is about, if the caller is its admin."""
        return self.owned(cloud.lock(self.number("lockId")))

    def owned(self, lock: Lock) -> Lock:
        """Return a lock, if the caller is its admin."""
        if lock.admin != self.account.username:
            raise Refused(20002)
        return lock

    def by_gateway(self, name: str) -> bool:
        """Tell by the addType, changeType or deleteType whether the cloud reaches the lock.

        By default a phone already has, and the cloud takes note.
        """
        method = self.choice(name, (BLUETOOTH, GATEWAY, NB_IOT, LATER), BLUETOOTH)
        if method in UNSUPPORTED:
            raise Refused(UNSUPPORTED[method])
        return method == GATEWAY

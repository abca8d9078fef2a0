"""One request's fields, read as strictly as the vendor documents them."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from infra.simulators.ttlock.cloud import Cloud
from infra.simulators.ttlock.errors import Refused
from infra.simulators.ttlock.rows import Account, Application, Lock
from infra.simulators.ttlock.window import ALWAYS, Window

NUMBER = re.compile(r"-?[0-9]{1,18}")
"""What the platform's own 64 bits hold."""


def whole_number(text: str) -> int:
    """Return a number as it is written, or refuse."""
    if not NUMBER.fullmatch(text):
        raise Refused(-3)
    return int(text)


@dataclass(frozen=True, slots=True)
class Call:
    """Who asks, and with which fields; an empty field is a missing one."""

    application: Application
    account: Account
    fields: Mapping[str, str] = field(repr=False)

    def text(self, name: str) -> str:
        """Return a required field."""
        value = self.fields.get(name, "")
        if not value:
            raise Refused(-3)
        return value

    def optional(self, name: str) -> str | None:
        """Return a field, or nothing."""
        return self.fields.get(name) or None

    def number(self, name: str, default: int | None = None) -> int:
        """Return a whole number."""
        value = self.fields.get(name, "")
        if not value and default is not None:
            return default
        return whole_number(value)

    def choice(self, name: str, allowed: Collection[int], default: int | None = None) -> int:
        """Return one of a few whole numbers."""
        value = self.number(name, default)
        if value not in allowed:
            raise Refused(-3)
        return value

    def window(self) -> Window:
        """Return the required startDate and endDate; both 0 is for ever."""
        window = Window(self.number("startDate"), self.number("endDate"))
        if window != ALWAYS and not 0 <= window.start < window.end:
            raise Refused(-3)
        return window

    def own_lock(self, cloud: Cloud) -> Lock:
        """Return the lock that the call is about, if the caller is its admin."""
        return self.owned(cloud.lock(self.number("lockId")))

    def owned(self, lock: Lock) -> Lock:
        """Return a lock, if the caller is its admin."""
        if lock.admin != self.account.username:
            raise Refused(20002)
        return lock

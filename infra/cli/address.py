"""Which fleet a command is about: its home folder and its port on this machine."""

import fcntl
import os
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

HOME, PORT = Path(".keyfleet"), 8787
ADDRESS = "127.0.0.1"
LOCK_FILE = "fleet.lock"
DATABASE_FILES = ("fleet.db", "fleet.mark")
"""Either tells of a fleet, also where the other was lost."""


@dataclass(frozen=True, slots=True)
class FleetAddress:
    """A fleet's home and port."""

    home: Path = HOME
    port: int = PORT

    @property
    def base_url(self) -> str:
        """The address every function of the fleet lies under."""
        return f"http://{ADDRESS}:{self.port}"

    @property
    def control_audience(self) -> str:
        """Whom a token for the control plane is addressed to."""
        return f"{self.base_url}/_cloud"

    def is_open(self) -> bool:
        """Return whether a running fleet, on whatever port, has this home open."""
        try:
            descriptor = os.open(self.home / LOCK_FILE, os.O_RDWR | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return True
        finally:
            os.close(descriptor)
        return False

    def has_database(self) -> bool:
        """Return whether a fleet was ever started in this home."""
        return any((self.home / name).exists() for name in DATABASE_FILES)

    @property
    def flags(self) -> str:
        """The options that name this place again, as a remedy quotes them; empty for the usual place."""
        home = f" --home {quote(str(self.home))}" if self.home != HOME else ""
        return home + (f" --port {self.port}" if self.port != PORT else "")

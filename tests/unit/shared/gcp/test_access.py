"""Our own access token: fetched once, refreshed when Google's library says that it has run out."""

import google.auth
from google.auth.credentials import Credentials

from shared.gcp.access import SCOPES, OwnIdentity


class Machine(Credentials):
    """What the metadata server gives a function."""

    def __init__(self):
        super().__init__()
        self.refreshed, self.fresh = 0, False

    @property
    def valid(self):
        return self.fresh

    def refresh(self, request):
        self.refreshed, self.fresh = self.refreshed + 1, True
        self.token = f"token {self.refreshed}"


async def test_a_token_is_kept_while_it_is_good(monkeypatch):
    machine, asked = Machine(), []
    monkeypatch.setattr(google.auth, "default", lambda scopes: (asked.append(scopes) or machine, "hotel"))
    identity = OwnIdentity()
    assert [await identity.token() for _ in range(3)] == ["token 1"] * 3
    machine.fresh = False
    assert await identity.token() == "token 2"
    assert (asked, machine.refreshed) == ([SCOPES], 2)

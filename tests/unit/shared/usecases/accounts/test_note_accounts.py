"""Accounts are noted tenant by tenant: what is broken at one is heard of, and keeps no other waiting."""

import io
from datetime import UTC, datetime

from shared.domain.ids import TenantId
from shared.kernel.log import Log
from shared.ports.documents import StoredUnreadable
from shared.usecases.accounts.note_accounts import note_all

NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)
BROKEN, SILK = TenantId("tnt_broken"), TenantId("tnt_silk")


class Store:
    """Tenants without hotels, of one of which nothing can be read."""

    def __init__(self):
        self.asked = []

    def tenant(self, tenant):
        self.asked.append(tenant)
        self._of = tenant
        return self

    async def query(self, *_asked, **_more):
        if self._of == BROKEN:
            raise StoredUnreadable("properties/ppt_1")
        return []


async def test_a_tenant_of_which_nothing_can_be_read_keeps_no_other_waiting():
    store, written = Store(), io.StringIO()
    told = await note_all([BROKEN, SILK], store, NOW, Log("keyfleet", written))
    assert (told, store.asked) == ({"noted": 0, "broken": 1}, [BROKEN, SILK])
    assert "could not be noted" in written.getvalue()

"""A session at the console opens whatever chance draws for it, and no cookie is a fault of ours."""

import pytest

from shared.domain.ids import TenantId, UserId
from shared.domain.permissions import Principal, Role
from shared.kernel.identity import Unauthenticated
from shared.usecases.backoffice.console_sessions import NAME_BYTES, SECRET_BYTES, Consoles

TENANT = TenantId("tnt_silk")
CLERK = Principal(
    id=UserId("usr_1"), tenant=TENANT, permissions={}, properties=None, roles=frozenset({Role.GM})
)


@pytest.mark.parametrize("drawn", [b"\xff", b"\xfb", b"\x00", b"."])
async def test_a_session_opens_and_is_known_whatever_its_name_is_drawn_from(books, drawn):
    consoles, now = Consoles(books.store), books.clock.now()
    cookie = await consoles.open(CLERK, drawn * (NAME_BYTES + SECRET_BYTES), now)
    tenant, session = await consoles.proven(cookie, now)
    assert (tenant, session.user) == (TENANT, CLERK.id)


@pytest.mark.parametrize("name", ["-a", "_a", "a/../b", "ä", "", "a" * 300])
async def test_a_cookie_that_cannot_be_ours_is_refused_as_an_unknown_one_is(books, name):
    with pytest.raises(Unauthenticated):
        await Consoles(books.store).proven(f"{TENANT}.{name}.secret", books.clock.now())

"""What became of messages, as it comes in: read, proven, and answered alike whether it is believed or not.

| path | who tells | proven by |
|---|---|---|
| `POST /sms/{tenant}/{notice}` | the SMS provider | its signature over the address and every field |
| `POST /push/{tenant}/{notice}` | the guest's app | the receipt that was in the push |
| `POST /email/{tenant}` | the mail service | a signature over id, time and body, five minutes good |
| `POST /bounce/{tenant}` | whoever takes mail for us | the code in the letter's own return path |

Whatever is wrong is 401 and says nothing of what there is.
"""

import re
from typing import Final

from starlette.responses import Response

from shared.domain.errors import InvalidInput
from shared.domain.ids import TenantId
from shared.kernel.identity import Unauthenticated
from shared.runtime.incoming import Incoming
from shared.runtime.platform import Platform

_NOTICE: Final = re.compile(r"/(sms|push)/(tnt_[0-9A-Za-z_-]{1,64})/([0-9A-Za-z_-]{1,80})")
_MAIL: Final = re.compile(r"/(email)/(tnt_[0-9A-Za-z_-]{1,64})()")
_BOUNCE: Final = re.compile(r"/bounce/(tnt_[0-9A-Za-z_-]{1,64})")
NOBODYS: Final = "not a status that anybody sent"


async def heard(came: Incoming, on: Platform) -> Response:
    """Hear one status; whose path names nobody is refused before anything is loaded that could prove it."""
    if (bounced := _BOUNCE.fullmatch(came.path)) is not None:
        await _came_back(came, TenantId(bounced[1]), on)
    elif named := _NOTICE.fullmatch(came.path) or _MAIL.fullmatch(came.path):
        await _status(came, (named[1], TenantId(named[2]), named[3]), on)
    else:
        raise Unauthenticated(NOBODYS)
    return Response(status_code=204)


async def _came_back(came: Incoming, tenant: TenantId, on: Platform) -> None:
    from functions.notifications.returned import bounces_at, hear_returned

    try:
        await on.hotels.admit(tenant)
        bounces = await bounces_at(tenant, on)
    except InvalidInput:
        bounces = None
    if bounces is None or not await hear_returned(came.body, tenant, bounces, on):
        raise Unauthenticated(NOBODYS)


async def _status(came: Incoming, named: tuple[str, TenantId, str], on: Platform) -> None:
    from functions.notifications.status_proofs import believed
    from shared.usecases.guests.hear_status import hear_status, take_no_more
    from shared.usecases.guests.services import GuestServices

    services = GuestServices.on(on)
    status = await believed(came, named, on, services)
    if status is None:
        raise Unauthenticated(NOBODYS)
    await hear_status(status, services, on.sagas)
    await take_no_more(status, services)

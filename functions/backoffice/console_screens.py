"""The console's screens: each answers one question of one hotel, and names the permission that it takes.

One row a screen. What is not shown to somebody is not named to them either: the navigation holds what their
roles hold. A change is a second permission, and is ordered from whoever may do it (decision 0166).
"""

from collections.abc import Mapping
from typing import Final

from functions.backoffice.screens import (
    analytics,
    arrivals,
    costs,
    doors,
    hotel,
    sandbox,
    stay,
    views,
    work,
)
from functions.backoffice.screens.look import Screen
from shared.domain.permissions import Permission

P = Permission
SCREENS: Final[Mapping[str, Screen]] = {
    "arrivals": Screen(P.BACKOFFICE_READ, arrivals.arrivals),
    "ahead": Screen(P.KEY_READ, arrivals.ahead),
    "stay": Screen(P.KEY_READ, stay.stay),
    "doors": Screen(P.DOOR_READ, doors.doors),
    "explain": Screen(P.DOOR_READ, doors.explain, P.DOOR_READ, doors.ask_locks),
    "attempts": Screen(P.DOOR_READ, doors.attempts),
    "residues": Screen(P.RESIDUE_READ, work.left, P.RESIDUE_CLOSE, work.close),
    "sagas": Screen(P.SAGA_READ, work.sagas, P.KEY_ASK_AGAIN, work.ask_again),
    "letters": Screen(P.DEAD_LETTER_READ, work.letters, P.DEAD_LETTER_DECIDE, work.replay),
    "bulk": Screen(P.SAGA_READ, work.bulk, moves=work.bulk_moves),
    "locks": Screen(P.DEVICE_READ, hotel.locks),
    "vendors": Screen(P.DEVICE_READ, hotel.vendors),
    "staff": Screen(P.MASTER_KEY_READ, hotel.staff),
    "analytics": Screen(P.HOTEL_READ, analytics.analytics),
    "costs": Screen(P.TENANT_READ, costs.costs),
    "audit": Screen(P.AUDIT_READ, hotel.audit),
    "views": Screen(P.BACKOFFICE_READ, views.views, P.BACKOFFICE_READ, views.save),
    "sandbox": Screen(P.DEVICE_READ, sandbox.sandbox, P.DEVICE_READ, sandbox.play, sandbox=True),
}

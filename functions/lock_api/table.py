"""Every route of the API of staff, in the order in which its description lists them."""

from functions.lock_api import (
    about_me,
    attempts,
    credentials,
    devices,
    doors,
    explain,
    hotels,
    many_keys,
    message_settings,
    more_keys,
    operations,
    residues,
    saga_steering,
    service_accounts,
    staff_keys,
    stays,
)

ROUTES = (
    *about_me.ROUTES,
    *stays.ROUTES,
    *credentials.ROUTES,
    *more_keys.ROUTES,
    *doors.ROUTES,
    *devices.ROUTES,
    *attempts.ROUTES,
    *explain.ROUTES,
    *hotels.ROUTES,
    *message_settings.ROUTES,
    *residues.ROUTES,
    *operations.ROUTES,
    *saga_steering.ROUTES,
    *staff_keys.ROUTES,
    *many_keys.ROUTES,
    *service_accounts.ROUTES,
)

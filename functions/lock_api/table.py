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
    operations,
    residues,
    saga_steering,
    service_accounts,
    staff_keys,
    stays,
    webhooks,
)

ROUTES = (
    *about_me.ROUTES,
    *stays.ROUTES,
    *credentials.ROUTES,
    *doors.ROUTES,
    *devices.ROUTES,
    *attempts.ROUTES,
    *explain.ROUTES,
    *hotels.ROUTES,
    *residues.ROUTES,
    *operations.ROUTES,
    *saga_steering.ROUTES,
    *staff_keys.ROUTES,
    *many_keys.ROUTES,
    *service_accounts.ROUTES,
    *webhooks.ROUTES,
)

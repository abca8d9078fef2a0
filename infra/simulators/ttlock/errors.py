"""How TTLock refuses: under HTTP 200, with an errcode."""

from collections.abc import Mapping
from typing import Any

from infra.simulators.kit.errors import Code

FINE = {
    "errcode": 0,
    "errmsg": "none error message",
    "description": "none error message or means yes",
}

MEANINGS: Mapping[Code, str] = {
    1: "failed",
    10000: "client_id does not exist",
    10001: "invalid client",
    10003: "token does not exist",
    10004: "token is expired or revoked",
    10007: "invalid account or invalid password",
    10011: "invalid refresh_token",
    20002: "not lock admin",
    30002: "invalid username",
    30003: "username is taken",
    30005: "password must be md5",
    30006: "too many API calls in a minute",
    30007: "the month's API calls are used up",
    30008: "the application belongs to another region",
    80000: "date must be current time, in 5 minutes",
    80002: "invalid json format",
    90000: "internal server error",
    -3: "invalid parameter",
    -1003: "lock does not exist",
    -1008: "eKey does not exist",
    -1021: "IC card does not exist",
    -1026: "a passcode of this period was deleted",
    -2009: "invalid passcode",
    -2012: "the lock is not connected to any gateway",
    -2018: "permission denied",
    -2019: "an eKey cannot be sent to yourself",
    -2020: "an eKey cannot be sent to the admin",
    -2023: "the time period cannot be changed now",
    -2025: "the lock is frozen",
    -2032: "the passcode is too simple",
    -3002: "the gateway is offline",
    -3003: "the gateway is busy",
    -3006: "invalid passcode length",
    -3007: "the same passcode already exists",
    -3008: "a passcode that was never used on the lock cannot be changed",
    -3009: "no space for customized passcodes",
    -4037: "gateway does not exist",
    -4043: "the function is not supported for this lock",
    -4056: "out of memory",
    -4064: "an eKey can only be sent to a registered account",
    -4067: "the NB device is not registered",
}


def refusal(errcode: Code) -> dict[str, Any]:
    """Return the body of a refusal."""
    meaning = MEANINGS.get(errcode, "unknown error")
    return {"errcode": errcode, "errmsg": meaning, "description": meaning}

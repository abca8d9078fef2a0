"""Passcodes in the cloud's list: adding custom ones, changing, deleting, listing."""

from dataclasses import replace
from typing import Any

from infra.simulators.kit.door import Written
from infra.simulators.kit.errors import Refused
from infra.simulators.kit.rows import resembles
from infra.simulators.kit.windows import ALWAYS
from infra.simulators.ttlock.call import Call
from infra.simulators.ttlock.cloud import Cloud
from infra.simulators.ttlock.computed_codes import MOST_PER_START
from infra.simulators.ttlock.door import CODE_SPACE, Door
from infra.simulators.ttlock.errors import FINE
from infra.simulators.ttlock.gateway_link import door_in_reach
from infra.simulators.ttlock.hotel import PASSCODE, has_feature
from infra.simulators.ttlock.operation import Answer, get, post
from infra.simulators.ttlock.paging import ordered, page
from infra.simulators.ttlock.rows import Lock, Passcode

PERMANENT, PERIOD = 2, 3
SHORTEST, LONGEST = 4, 9
RUNS = ("0123456789", "9876543210")


async def add(cloud: Cloud, call: Call) -> Answer:
    """List a custom passcode, and write it to the lock only when told to use the gateway."""
    lock = call.own_lock(cloud)
    if not has_feature(lock.feature_value, PASSCODE):
        raise Refused(-4043)
    row = _requested(cloud, call, lock)
    _refuse_unsuitable(row.code)
    _refuse_duplicate(cloud, lock.lock_id, row.code)
    if call.by_gateway("addType"):
        async with door_in_reach(cloud, lock.lock_id) as door:
            # The list may have changed while the air took its time.
            _refuse_duplicate(cloud, lock.lock_id, row.code)
            _write(door, row)
    cloud.passcodes.put(row.passcode_id, row)
    return {"keyboardPwdId": row.passcode_id}


async def change(cloud: Cloud, call: Call) -> Answer:
    """Change a name, a window, the code; a window without startDate changes nothing, successfully."""
    row = _listed_row(cloud, call)
    changed = _changed(row, call)
    _refuse_change(cloud, row, changed)
    only_named = replace(changed, name=row.name) == row
    if not only_named and call.by_gateway("changeType"):
        async with door_in_reach(cloud, row.lock_id) as door:
            _refuse_change(cloud, row, changed)
            _rewrite(door, row, changed)
    cloud.passcodes.put(row.passcode_id, changed)
    return FINE


async def delete(cloud: Cloud, call: Call) -> Answer:
    """Take a passcode off the list, and out of the lock only when told to use the gateway."""
    lock = call.own_lock(cloud)
    row = cloud.passcodes.get(call.number("keyboardPwdId"))
    return await _remove(cloud, call, row if row and row.lock_id == lock.lock_id else None)


async def delete_by_code(cloud: Cloud, call: Call) -> Answer:
    """Do the same for a code."""
    lock, code = call.own_lock(cloud), call.text("keyboardPwd")
    rows = [row for row in cloud.passcodes.of(lock.lock_id) if row.code == code]
    return await _remove(cloud, call, rows[0] if rows else None)


async def list_passcodes(cloud: Cloud, call: Call) -> Answer:
    """Return a lock's list; a search finds names that contain it, and codes that equal it."""
    lock, search = call.own_lock(cloud), call.optional("searchStr") or ""
    rows = [
        row for row in cloud.passcodes.of(lock.lock_id) if resembles(row.name, search) or row.code == search
    ]
    return page(call, ordered(call, rows, lambda row: row.name, lambda row: row.passcode_id), _shown)


def _refuse_unsuitable(code: str) -> None:
    """Refuse a code of the wrong length, of other signs than digits, or too simple to be one."""
    if not (code.isascii() and code.isdigit() and SHORTEST <= len(code) <= LONGEST):
        raise Refused(-3006)
    if len(set(code)) == 1 or any(code in run for run in RUNS):
        raise Refused(-2032)


def _refuse_duplicate(cloud: Cloud, lock_id: int, code: str) -> None:
    """Refuse a code that the cloud lists for the lock already, even an expired one."""
    if any(row.code == code for row in cloud.passcodes.of(lock_id)):
        raise Refused(-3007)


def _requested(cloud: Cloud, call: Call, lock: Lock) -> Passcode:
    kind = call.choice("keyboardPwdType", (PERMANENT, PERIOD), PERIOD)
    return Passcode(
        passcode_id=cloud.next_id(),
        lock_id=lock.lock_id,
        code=call.text("keyboardPwd"),
        name=call.optional("keyboardPwdName") or "",
        kind=kind,
        window=call.window() if kind == PERIOD else ALWAYS,
        sent_ms=cloud.now_ms(),
        custom=True,
        sender=call.account.username,
    )


def _write(door: Door, row: Passcode) -> None:
    if row.code in door.codes:
        raise Refused(-3007)
    if len(door.codes) >= CODE_SPACE:
        raise Refused(-3009)
    door.codes[row.code] = Written(row.window.to_the_minute())


def _listed_row(cloud: Cloud, call: Call) -> Passcode:
    lock = call.own_lock(cloud)
    row = cloud.passcodes.get(call.number("keyboardPwdId"))
    if row is None or row.lock_id != lock.lock_id:
        raise Refused(-2009)
    return row


def _changed(row: Passcode, call: Call) -> Passcode:
    return replace(
        row,
        name=call.optional("keyboardPwdName") or row.name,
        code=call.optional("newKeyboardPwd") or row.code,
        window=call.window() if call.optional("startDate") else row.window,
    )


def _refuse_change(cloud: Cloud, row: Passcode, changed: Passcode) -> None:
    if cloud.passcodes.get(row.passcode_id) != row:
        raise Refused(-2009)
    if changed.code != row.code:
        _refuse_unsuitable(changed.code)
        _refuse_duplicate(cloud, row.lock_id, changed.code)


def _rewrite(door: Door, row: Passcode, changed: Passcode) -> None:
    if not door.has_used(row.code):
        raise Refused(-3008)
    door.forget_code(row.code)
    door.codes[changed.code] = Written(changed.window.to_the_minute(), used=True)


async def _remove(cloud: Cloud, call: Call, row: Passcode | None) -> Answer:
    through_gateway = call.by_gateway("deleteType")
    if row is None:
        return FINE
    if through_gateway:
        async with door_in_reach(cloud, row.lock_id) as door:
            door.forget_code(row.code)
    cloud.passcodes.drop(row.passcode_id)
    if not row.custom and row.kind not in MOST_PER_START:
        cloud.spent_periods.add((row.lock_id, row.kind, row.window))
    return FINE


def _shown(row: Passcode) -> dict[str, Any]:
    return {
        "keyboardPwdId": row.passcode_id,
        "lockId": row.lock_id,
        "keyboardPwd": row.code,
        "keyboardPwdName": row.name,
        "keyboardPwdType": row.kind,
        "startDate": row.window.start,
        "endDate": row.window.end,
        "sendDate": row.sent_ms,
        "isCustom": int(row.custom),
        "senderUsername": row.sender,
    }


OPERATIONS = (
    post("/v3/keyboardPwd/add", add),
    post("/v3/keyboardPwd/change", change),
    post("/v3/keyboardPwd/delete", delete),
    post("/v3/keyboardPwd/deleteByCode", delete_by_code),
    get("/v3/lock/listKeyboardPwd", list_passcodes),
)

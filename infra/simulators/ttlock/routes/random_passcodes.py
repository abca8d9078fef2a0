"""Random passcodes: computed, never written, and hence impossible to take back from afar."""

from infra.simulators.kit.errors import Refused
from infra.simulators.kit.windows import DAY_MS, Window
from infra.simulators.ttlock.call import Call
from infra.simulators.ttlock.cloud import Cloud
from infra.simulators.ttlock.computed_codes import KINDS, MOST_PER_START, PERIOD, WEEKDAYS, RandomCode
from infra.simulators.ttlock.hotel import CYCLIC, PASSCODE, has_feature
from infra.simulators.ttlock.operation import Answer, post
from infra.simulators.ttlock.rows import Lock, Passcode

LONGEST_BY_THE_HOUR_MS = 366 * DAY_MS


async def get_passcode(cloud: Cloud, call: Call) -> Answer:
    """Return the code of a period: the same one for as long as it is listed, none once it was deleted."""
    lock, kind = call.own_lock(cloud), call.choice("keyboardPwdType", KINDS)
    if not has_feature(lock.feature_value, CYCLIC if kind in WEEKDAYS else PASSCODE):
        raise Refused(-4043)
    window = _window(cloud, call, lock, kind)
    alike = [row for row in cloud.passcodes.of(lock.lock_id) if not row.custom and row.kind == kind]
    given = [row for row in alike if row.window == window]
    if kind not in MOST_PER_START and given:
        return _shown(given[0])
    return _shown(_compute(cloud, call, lock, kind, window))


def _window(cloud: Cloud, call: Call, lock: Lock, kind: int) -> Window:
    start = call.number("startDate")
    if kind in MOST_PER_START:
        return Window(start, 0).to_the_hour(cloud.hour_offset(lock))
    window = Window(start, call.number("endDate")).to_the_hour(cloud.hour_offset(lock))
    if window.end <= window.start or (kind == PERIOD and window.end - start > LONGEST_BY_THE_HOUR_MS):
        raise Refused(-3)
    return window


def _compute(cloud: Cloud, call: Call, lock: Lock, kind: int, window: Window) -> Passcode:
    if (lock.lock_id, kind, window) in cloud.spent_periods:
        raise Refused(-1026)
    known = cloud.doors[lock.lock_id].algorithmic
    turn = sum(code.kind == kind and code.window == window for code in known.values())
    if turn >= MOST_PER_START.get(kind, 1):
        raise Refused(1)
    code = cloud.computed_code(lock.lock_id, kind, window, turn)
    known[code] = RandomCode(kind, window, lock.offset_ms, code)
    name = call.optional("keyboardPwdName") or ""
    row = Passcode(
        passcode_id=cloud.next_id(),
        lock_id=lock.lock_id,
        code=code,
        name=name,
        kind=kind,
        window=window,
        sent_ms=cloud.now_ms(),
        custom=False,
        sender=call.account.username,
    )
    cloud.passcodes.put(row.passcode_id, row)
    return row


def _shown(row: Passcode) -> Answer:
    return {"keyboardPwd": row.code, "keyboardPwdId": row.passcode_id}


OPERATIONS = (post("/v3/keyboardPwd/get", get_passcode),)

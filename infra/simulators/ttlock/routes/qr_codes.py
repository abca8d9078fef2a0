"""QR codes: shown by the cloud, computed by the lock, fresh for some minutes."""

from typing import Any

from infra.simulators.kit.errors import Refused
from infra.simulators.kit.rows import resembles
from infra.simulators.kit.windows import ALWAYS, Reason
from infra.simulators.ttlock.call import Call
from infra.simulators.ttlock.cloud import Cloud
from infra.simulators.ttlock.computed_codes import qr_content
from infra.simulators.ttlock.errors import FINE
from infra.simulators.ttlock.hotel import QR_CODE, has_feature
from infra.simulators.ttlock.operation import Answer, get, post
from infra.simulators.ttlock.paging import page
from infra.simulators.ttlock.rows import QrCode

PERIOD, PERMANENT = 1, 2
BY_THE_CLOUD = 0
LONGEST_REFRESH, USUAL_REFRESH = 1440, 10
STATUS = {Reason.OPEN: 1, Reason.EXPIRED: 2, Reason.NOT_YET_VALID: 3}


async def add(cloud: Cloud, call: Call) -> Answer:
    """Make a code at the cloud; custom codes, written to the lock, are not simulated."""
    lock, kind = call.own_lock(cloud), call.choice("type", (PERIOD, PERMANENT))
    if not has_feature(lock.feature_value, QR_CODE) or call.number("addType", 0) != BY_THE_CLOUD:
        raise Refused(-4043)
    number = 1 + max((code.number for code in cloud.qr_codes.of(lock.lock_id)), default=0)
    code = QrCode(
        qr_id=cloud.next_id(),
        lock_id=lock.lock_id,
        number=number,
        name=call.optional("name") or "",
        kind=kind,
        window=call.window() if kind == PERIOD else ALWAYS,
        refresh_minutes=call.choice("refreshTime", range(1, LONGEST_REFRESH + 1), USUAL_REFRESH),
        created_ms=cloud.now_ms(),
        creator=call.account.username,
    )
    cloud.qr_codes.put(code.qr_id, code)
    return {"qrCodeId": code.qr_id, "qrCodeNumber": code.number, "link": _link(code)}


async def get_data(cloud: Cloud, call: Call) -> Answer:
    """Return what to show now; outside its period there is nothing to show."""
    code = cloud.qr_codes.get(call.number("qrCodeId"))
    if code is None:
        raise Refused(-3)
    lock, status = call.owned(cloud.locks[code.lock_id]), _status(cloud, code)
    answer = {**_fields(cloud, code), "lockAlias": lock.alias}
    if status == STATUS[Reason.OPEN]:
        answer["qrCodeContent"] = qr_content(cloud.code_secret, code, cloud.now_ms())
    return answer


async def list_codes(cloud: Cloud, call: Call) -> Answer:
    """Return a lock's codes."""
    lock, name = call.own_lock(cloud), call.optional("name") or ""
    rows = [code for code in cloud.qr_codes.of(lock.lock_id) if resembles(code.name, name)]
    return page(call, rows, lambda code: _listed(cloud, code))


async def delete(cloud: Cloud, call: Call) -> Answer:
    """Show a code no more; what was shown already stays good until it goes stale."""
    lock = call.own_lock(cloud)
    code = cloud.qr_codes.get(call.number("qrCodeId"))
    if code is None or code.lock_id != lock.lock_id or call.number("deleteType", 0) != BY_THE_CLOUD:
        raise Refused(-3)
    cloud.qr_codes.drop(code.qr_id)
    return FINE


def _status(cloud: Cloud, code: QrCode) -> int:
    return STATUS[code.window.judged(cloud.now_ms())]


def _link(code: QrCode) -> str:
    return f"https://ekey.invalid/q?k={code.qr_id}"


def _fields(cloud: Cloud, code: QrCode) -> dict[str, Any]:
    return {
        "type": code.kind,
        "qrCodeNumber": code.number,
        "name": code.name,
        "startDate": code.window.start,
        "endDate": code.window.end,
        "refreshTime": code.refresh_minutes,
        "status": _status(cloud, code),
    }


def _listed(cloud: Cloud, code: QrCode) -> dict[str, Any]:
    return {
        **_fields(cloud, code),
        "qrCodeId": code.qr_id,
        "lockId": code.lock_id,
        "createDate": code.created_ms,
        "creator": code.creator,
        "link": _link(code),
        "qrCodeVersion": 1,
    }


OPERATIONS = (
    post("/v3/qrCode/add", add),
    get("/v3/qrCode/getData", get_data),
    get("/v3/qrCode/list", list_codes),
    post("/v3/qrCode/delete", delete),
)

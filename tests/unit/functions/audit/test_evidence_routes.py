"""Evidence over HTTP: for those who may read the trail, where they work, and for nobody else."""

import base64
from datetime import timedelta

import pytest

from infra.local.people import Badge
from infra.verifier.verify_pack import verify
from shared.domain.ids import PropertyId, TenantId, UserId
from shared.domain.permissions import Role
from tests.support.sample_hotel import SILK, play

KABUL, HERAT = PropertyId("ppt_kabul"), PropertyId("ppt_herat")
STAY, DOORS, LOG = "reservations/rsv_1/evidence", "properties/ppt_kabul/evidence", "audit"
PERSON, DAY = "staff/usr_9/evidence", {"since": "2026-03-01T00:00:00Z", "until": "2026-03-01T23:00:00Z"}
DOOR = {"rooms": ["rmu_101"], **DAY}
EVERYWHERE = None


def asking(tmp_path, *requests):
    """Have a night pass after a booking, then ask as several people; return each status and answer."""

    async def scenario(house):
        await house.publish("evt_1")
        await house.settled()
        house.fleet.world.clock._beginning += timedelta(days=1, hours=2)
        date = (house.fleet.world.clock.now() - timedelta(days=1)).date().isoformat()
        await house.on.send("anchor-due", {"date": date}, caller="operator")
        await house.settled()
        return [await _asked(house, *request) for request in requests]

    return play(tmp_path, scenario)


async def _asked(house, path, badge, method="POST", body=None):
    headers = {"content-type": "application/json"}
    if badge is not None:
        tenant, roles, at = badge
        token = house.fleet.people.token(
            Badge(TenantId(tenant), UserId("usr_1"), frozenset(roles), at), house.fleet.config.base_url
        )
        headers["authorization"] = f"Bearer {token}"
    given = b"" if method == "GET" else (body or {})
    return await house.on.send(f"audit-api/lock/v1/{path}", given, method=method, headers=headers)


def auditor(at=frozenset({KABUL}), tenant=SILK, roles=(Role.AUDITOR,)):
    return tenant, roles, at


def test_an_auditor_hears_how_the_log_stands_and_takes_a_stays_evidence(tmp_path):
    standing, stay = asking(
        tmp_path, (LOG, auditor(), "GET"), (STAY, auditor(), "POST", {"language": "fa-AF"})
    )
    assert (standing[0], standing[1]["closed"], standing[1]["overdue"]) == (200, "2026-03-01", False)
    assert stay[0] == 200, stay
    told = stay[1]
    assert verify(base64.b64decode(told["pack"]), told["policy"]).failures == []
    assert (told["completeFor"], told["closedUpTo"]) == ("streams", "2026-03-01")
    assert '<html lang="fa-AF"' in told["page"]


def test_a_doors_evidence_is_for_who_works_everywhere(tmp_path):
    everywhere, here = asking(
        tmp_path,
        (DOORS, auditor(EVERYWHERE), "POST", DOOR),
        (DOORS, auditor(), "POST", DOOR),
    )
    assert everywhere[0] == 200, everywhere
    told = everywhere[1]
    assert verify(base64.b64decode(told["pack"]), told["policy"]).failures == []
    assert here[0] == 403


def test_evidence_of_a_person_of_staff_is_for_who_works_everywhere_and_in_their_language(tmp_path):
    everywhere, here, desk = asking(
        tmp_path,
        (PERSON, auditor(EVERYWHERE), "POST", {**DAY, "language": "ps"}),
        (PERSON, auditor(), "POST", DAY),
        (PERSON, auditor(EVERYWHERE, roles=(Role.FRONT_DESK,)), "POST", DAY),
    )
    assert everywhere[0] == 200, everywhere
    told = everywhere[1]
    assert verify(base64.b64decode(told["pack"]), told["policy"]).failures == []
    assert (told["completeFor"], '<html lang="ps" dir="rtl"' in told["page"]) == ("span", True)
    assert "rsv_1" not in base64.b64decode(told["pack"]).decode(), "what others did stays closed"
    assert (here[0], desk[0]) == (403, 403)


def test_a_guest_is_shown_all_held_and_forgotten_as_far_as_the_law_lets(tmp_path):
    admin, clerk = auditor(EVERYWHERE, roles=(Role.TENANT_ADMIN,)), auditor(roles=(Role.TENANT_ADMIN,))
    guest = "guests/gst_1"
    export, held, erased, released, listed, egress, refused, unknown = asking(
        tmp_path,
        (f"{guest}/export", admin, "POST", {"language": "fr"}),
        (f"{guest}/hold", admin, "POST", {"reason": "police_request"}),
        (f"{guest}/erase", admin),
        (f"{guest}/release", admin, "POST", {"reason": "police_request"}),
        ("guest-requests", admin, "GET"),
        ("egress", admin, "GET"),
        (f"{guest}/export", clerk),
        ("guests/gst_nobody/hold", admin, "POST", {"reason": "police_request"}),
    )
    assert export[0] == 200, export
    assert [each["reservation"] for each in export[1]["stays"]] == ["rsv_1"]
    assert verify(base64.b64decode(export[1]["pack"]), export[1]["policy"]).failures == []
    assert (held[1]["holds"], released[1]["holds"]) == (["police_request"], [])
    assert (erased[1]["audit"]["erased"], "A §17.4" in erased[1]["audit"]["because"]) == (False, True)
    assert {each["what"] for each in listed[1]["requests"]} == {"export", "erasure", "hold", "release"}
    assert "gst_1" not in str(listed[1]), "the list outlives the guest"
    assert egress[1]["vendors"][0]["properties"] == ["ppt_kabul"]
    assert (refused[0], unknown[0]) == (403, 409)


STRANGERS = [
    (None, 401),
    (auditor(roles=(Role.FRONT_DESK,)), 403),
    (auditor(at=frozenset({HERAT})), 404),
    (auditor(tenant="tnt_other"), 401),
]


def test_strangers_get_nothing(tmp_path):
    requests = [(STAY, badge) for badge, _ in STRANGERS]
    requests += [(DOORS, badge, "POST", DOOR) for badge, _ in STRANGERS]
    answers = asking(tmp_path, *requests)
    assert [status for status, _ in answers] == [status for _, status in STRANGERS] * 2
    assert not [answer for _, answer in answers if "pack" in str(answer)]


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("reservations/rsv_nobody/evidence", {}, 404),
        (STAY, {"language": "tlh"}, 400),
        (DOORS, {**DOOR, "rooms": []}, 400),
        (DOORS, {**DOOR, "since": "2026-03-02T00:00:00Z", "until": "2026-03-01T00:00:00Z"}, 400),
        (PERSON, {**DAY, "since": "2026-03-02T00:00:00Z"}, 400),
        (PERSON, {}, 400),
    ],
)
def test_what_cannot_be_asked_is_refused(tmp_path, path, body, status):
    ((answered, told),) = asking(tmp_path, (path, auditor(EVERYWHERE), "POST", body))
    assert answered == status, told

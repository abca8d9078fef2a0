"""keyfleet devices, doors, attempts, map and out-of-use: what people read of locks."""

LOCK = "lck_01KSAMP1E00000000000000101"
DEVICE = {
    "device": LOCK,
    "tenant": "tnt_silk",
    "property": "ppt_kabul",
    "vendor": "acme",
    "vendor_device": "7",
    "label": "Room 101",
    "rooms": ["rmu_101"],
    "state": "offline",
    "battery": 9,
    "battery_level": "critical",
    "clock_skew_ms": -700_000,
    "clock": "wrong",
    "firmware": "5.1",
    "firmware_old": True,
    "last_seen_at": "2026-03-01T09:00:00Z",
    "looked_at": "2026-03-01T09:00:00Z",
    "proven_at": None,
}
ATTEMPT = {
    "attempt": "kca_1",
    "tenant": "tnt_silk",
    "device": LOCK,
    "label": None,
    "at": "2026-03-01T09:00:00.5Z",
    "opened": True,
    "means": "pin",
    "key": "key_7",
    "staff": True,
    "refused": None,
    "alarm": "revoked_key_opened",
}
MAP = {"tenant": "tnt_silk", "property": "ppt_kabul", "rooms_without_a_lock": ["rmu_9"], "unproven": [LOCK]}


def words(answer):
    return [" ".join(line.split()) for line in answer.stdout.splitlines()]


def test_locks_are_listed_with_what_is_wrong_about_them(fleet, ask):
    fleet.will("GET", "/devices", {"devices": [DEVICE]})
    _, row = words(ask("devices"))
    wrong = "offline 9 %, critical -700 s, wrong 5.1, old 2026-03-01 09:00:00 tnt_silk"
    assert row == f"{LOCK} Room 101 {wrong}"


def test_attempts_are_listed_newest_first_with_their_alarm(fleet, ask):
    fleet.will(
        "GET",
        "/attempts?limit=30",
        {
            "attempts": [
                ATTEMPT,
                {**ATTEMPT, "opened": False, "alarm": None, "refused": "not_yet_valid", "staff": False},
            ],
            "more": True,
        },
    )
    _, opened, refused, more = words(ask("attempts"))
    assert opened == f"2026-03-01 09:00:00 {LOCK} opened revoked key opened key_7 pin, staff tnt_silk"
    assert refused == f"2026-03-01 09:00:00 {LOCK} refused not yet valid key_7 pin tnt_silk"
    assert more == "There are more: raise --limit."


def test_what_is_odd_at_doors_is_listed_with_its_page(fleet, ask):
    odd = {**ATTEMPT, "kind": "two_places_at_once", "said": "twice", "attempts": ["kca_1", "kca_2"]}
    fleet.will("GET", "/anomalies?limit=30", {"anomalies": [odd], "more": False})
    _, row, page = words(ask("attempts", "--anomalies"))
    assert row == f"2026-03-01 09:00:00 two places at once {LOCK} key_7 twice kca_1, kca_2"
    assert page.endswith("infra/runbooks/lock/doors.md")


def test_the_next_arrivals_are_listed_with_their_risks(fleet, ask):
    stay = {
        "tenant": "tnt_silk",
        "reservation": "rsv_1",
        "arrives": "2026-03-01T09:00:00Z",
        "ready": "on_lock",
    }
    fleet.will("GET", "/readiness", {"arrivals": [{**stay, "risks": []}, {**stay, "risks": ["x: offline"]}]})
    _, ready, risky, head = words(ask("doors"))
    assert ready == "2026-03-01 09:00:00 rsv_1 on lock tnt_silk"
    assert risky == "2026-03-01 09:00:00 rsv_1 on lock x: offline tnt_silk"
    assert head == "2 stays, 1 without any risk."


def test_the_map_names_what_does_not_fit(fleet, ask):
    fleet.will("GET", "/map", {"maps": [MAP]})
    assert words(ask("map")) == [
        *("ppt_kabul of tnt_silk", "rooms without a lock: rmu_9", f"unproven: {LOCK}"),
    ]


def test_where_nothing_is_that_is_said(fleet, ask):
    empty = {
        "devices": {"devices": []},
        "doors": {"arrivals": []},
        "attempts": {"attempts": [], "more": False},
        "map": {"maps": [{"tenant": "tnt_silk", "property": "ppt_kabul", "unproven": []}]},
    }
    for command, answer in empty.items():
        path = {"doors": "/readiness", "attempts": "/attempts?limit=30"}.get(command, f"/{command}")
        fleet.will("GET", path, answer)
        assert ask(command).exit_code == 0
    assert ask("attempts").stdout.endswith("by webhooks.\n")
    fleet.will("GET", "/anomalies?limit=30", {"anomalies": [], "more": False})
    assert words(ask("attempts", "--anomalies")) == ["Nothing at the doors is odd, as far as is known."]


def test_a_lock_goes_out_of_use_on_a_person_s_word(fleet, ask):
    gone = {"device": LOCK, "rotate_by": "2026-03-02T09:00:00+00:00", "keys": []}
    fleet.serves("take-out-of-use", gone)
    said = words(ask("out-of-use", LOCK, "--by", "usr_7", "--because", "gone", "--tenant", "tnt_silk"))
    assert said == [
        f"{LOCK} is out of use, by usr_7. Change its vendor's account by 2026-03-02 09:00:00 UTC."
    ]
    fleet.serves("take-out-of-use", {**gone, "keys": ["key_1"]})
    *_, left = words(ask("out-of-use", LOCK, "--by", "usr_7", "--because", "gone", "--tenant", "tnt_silk"))
    assert left == "Meanwhile keys were made for it: move or end the stays of key_1."


def test_a_challenge_s_code_is_told_with_where_to_type_it(fleet, ask):
    fleet.will("GET", "/devices", {"devices": [DEVICE]})
    told = {"device": LOCK, "label": "Room 101", "code": "48291357", "until": "2026-03-01T09:10:00Z"}
    fleet.serves("challenge-door", told)
    said, then = words(ask("challenge", LOCK, "--by", "usr_7"))
    assert said == "Type 48291357 at Room 101, until 2026-03-01 09:10:00 UTC."
    assert then.startswith("A minute later: keyfleet map")
    asked = {"tenant": "tnt_silk", "property": "ppt_kabul", "device": LOCK, "by": "usr_7"}
    assert fleet.asked[-1][2] == asked
    assert ask("challenge", "lck_unknown", "--by", "usr_7").exit_code != 0

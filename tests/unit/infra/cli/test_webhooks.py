"""keyfleet webhook: what people read of addresses that hear a company's events."""

DESK, WHOSE = "listener-desk", ("--tenant", "tnt_silk")
LISTENER = {
    "id": "lsn_01KSAMP1E00000000000000001",
    "state": "unproven",
    "url": "https://hooks.hotel.example/keys",
    "events": ["*"],
    "properties": [],
    "made_at": "2026-03-01T09:00:00Z",
    "failing_since": "2026-03-01T09:00:01Z",
    "rests_until": None,
    "because": None,
    "failures": 1,
}
SENDING = {
    "id": "snd_01KSAMP1E00000000000000001",
    "state": "given_up",
    "due_at": None,
    "subject": "melmastoon.lock.credential.issued.v1",
    "tries": [{"at": "2026-03-01T09:00:01Z", "status": None, "problem": "too slow", "took_ms": 9000}],
}


def test_who_signs_with_the_secret_that_is_shown_once_is_said(fleet, ask):
    fleet.serves(DESK, {**LISTENER, "secret": "whsec_canary"})
    added = ask("webhook", "add", LISTENER["url"], *WHOSE, "--by", "usr_7").stdout
    turned = ask("webhook", "rotate", LISTENER["id"], *WHOSE).stdout
    for said in (added, turned):
        assert "Its events are signed with whsec_canary: it is shown this once.\n" in said


def test_an_address_is_listed_with_how_it_fares(fleet, ask):
    fleet.serves(DESK, {"listeners": [LISTENER]})
    said = ask("webhook", "list", *WHOSE).stdout
    assert "hears * of every property, since 2026-03-01 09:00:00 UTC\n" in said
    assert "failed 1 time since 2026-03-01 09:00:01 UTC\n" in said


def test_a_log_says_whether_it_is_empty_and_whether_it_goes_on(fleet, ask):
    fleet.serves(DESK, {"sendings": [], "cursor": None})
    assert ask("webhook", "log", LISTENER["id"], *WHOSE).stdout.startswith("Nothing was sent there")
    fleet.serves(DESK, {"sendings": [SENDING], "cursor": "abc"})
    first, tried, more = ask("webhook", "log", LISTENER["id"], *WHOSE).stdout.splitlines()
    assert first == f"{SENDING['id']}  given up  {SENDING['subject']}"
    assert tried.strip() == "2026-03-01 09:00:01 UTC  too slow  9000 ms"
    assert more.startswith("There are older ones")

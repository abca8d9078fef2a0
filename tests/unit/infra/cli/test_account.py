"""keyfleet account and break-glass: what they ask a fleet's people's API, as whom, and what they say."""

import base64
import json

import pytest
from nacl.public import PublicKey, SealedBox

from infra.local.people import PEOPLE_KEY, LocalPeople

ACCOUNTS, GLASS = "account-api/lock/v1/vendor-accounts", "account-api/lock/v1/break-glass"
WHO = ("--tenant", "tnt_silk", "--by", "usr_7")
WHICH = ("--property", "ppt_kabul", "--vendor", "salto")
SHOWN = {
    "vendor": "salto",
    "propertyId": "ppt_kabul",
    "stage": "awaiting",
    "usedSince": "2026-05-01T00:00:00Z",
    "lastsUntil": "2026-07-30T00:00:00Z",
    "turn": 1,
    "refused": "account_refused",
}
ASKED = {
    "breakGlassId": "brk_1",
    "vendor": "salto",
    "incident": "INC-7",
    "stage": "asked",
    "askedBy": "usr_7",
    "askedAt": "2026-05-01T00:00:00Z",
    "decidedUntil": "2026-05-01T00:30:00Z",
    "approvals": [{"by": "usr_8", "at": "2026-05-01T00:05:00Z"}],
}


@pytest.fixture
def people(fleet):
    """A home whose issuer of people's tokens is there."""
    LocalPeople.at(fleet.place.home / PEOPLE_KEY, lambda: None, lambda size: b"k" * size)
    return fleet


def claims_of(authorization):
    """Return what a token says of its bearer."""
    part = authorization.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


def test_accounts_are_listed_with_why_the_last_was_sent_back(people, ask):
    people.answers["GET", f"/{ACCOUNTS}"] = (200, {"accounts": [SHOWN]})
    said = ask("account", "list", "--tenant", "tnt_silk")
    assert said.exit_code == 0, said.stdout
    assert "account_refused" in said.stdout
    assert "in use, the next is awaited" in " ".join(said.stdout.split())
    assert claims_of(people.authorizations[-1])["roles"] == ["tenant_admin"]


def test_the_next_account_goes_to_the_fleet_and_is_not_repeated(people, ask, tmp_path):
    file = tmp_path / "next.json"
    file.write_text('{"apiKey": "canary-61"}')
    people.answers["POST", f"/{ACCOUNTS}/next"] = (202, SHOWN)
    said = ask("account", "next", str(file), *WHICH, *WHO)
    assert said.exit_code == 0, said.stdout
    assert "canary" not in said.stdout
    assert people.asked[-1][2]["account"] == {"apiKey": "canary-61"}
    people.answers["POST", f"/{ACCOUNTS}/rotations"] = (202, SHOWN)
    assert ask("account", "rotate", *WHICH, *WHO, "--because", "leaked").exit_code == 0
    assert people.asked[-1][2]["because"] == "leaked"


def test_a_tenant_that_the_fleet_does_not_know_is_named(people, ask):
    people.answers["GET", f"/{ACCOUNTS}"] = (401, {"detail": "the token's issuer is not one of its tenant's"})
    said = ask("account", "list", "--tenant", "tnt_none")
    assert (said.exit_code, "nobody of 'tnt_none'" in said.stderr) == (2, True)


def test_what_the_fleet_refuses_is_said_with_its_remedy(people, ask):
    wrong = {"errors": [{"field": "vendor", "problem": "has no account", "remedy": "Name another"}]}
    people.answers["POST", f"/{ACCOUNTS}/rotations"] = (400, wrong)
    said = ask("account", "rotate", *WHICH, *WHO)
    assert (said.exit_code, "Name another" in said.stdout + said.stderr) == (2, True)


def test_who_asks_keeps_a_key_of_their_own_and_reads_the_account_by_it_alone(people, ask, tmp_path):
    people.answers["POST", f"/{GLASS}"] = (202, ASKED)
    why = ("--because", "vendor_outage", "--out", str(tmp_path))
    assert ask("break-glass", "ask", "INC-7", *WHICH, *WHO, *why).exit_code == 0
    file = tmp_path / "brk_1.key"
    assert file.stat().st_mode & 0o777 == 0o600
    to = PublicKey(base64.b64decode(people.asked[-1][2]["sealTo"]))
    box = base64.b64encode(SealedBox(to).encrypt(json.dumps({"apiKey": "canary-61"}).encode())).decode()
    people.answers["GET", f"/{GLASS}/brk_1"] = (200, {**ASKED, "stage": "open", "sealedAccount": box})
    read = ("break-glass", "read", "brk_1", *WHO, "--key")
    assert "canary-61" in ask(*read, str(file)).stdout
    other = tmp_path / "other.key"
    other.write_text(base64.b64encode(b"o" * 32).decode())
    assert ask(*read, str(other)).exit_code == 2
    people.answers["GET", f"/{GLASS}/brk_1"] = (200, ASKED)
    assert ask(*read, str(file)).exit_code == 2, "not open"


def test_who_agrees_or_closes_says_so_and_all_is_listed(people, ask):
    people.answers["POST", f"/{GLASS}/brk_1/verdict"] = (200, ASKED)
    for word, verdict in (("agree", "agreed"), ("refuse", "refused")):
        assert ask("break-glass", word, "brk_1", *WHO).exit_code == 0
        assert people.asked[-1][2] == {"verdict": verdict}
    people.answers["POST", f"/{GLASS}/brk_1/closing"] = (200, {**ASKED, "stage": "closed"})
    assert "closed" in ask("break-glass", "close", "brk_1", *WHO).stdout
    people.answers["GET", f"/{GLASS}"] = (200, {"incidents": [ASKED]})
    listed = ask("break-glass", "list", "--tenant", "tnt_silk").stdout
    assert all(word in listed for word in ("INC-7", "usr_8"))


def test_a_month_is_shown_with_its_sums_and_what_has_no_price(people, ask):
    done = {"issued": 2, "failed": 0, "revoked": 1, "unrevoked": 0, "locks": 3, "issueSuccessRate": 1.0}
    rows = [
        {"vendor": "acme", "propertyId": "ppt_1", **done, "currency": "EUR", "cost": "4.54"},
        {"vendor": "other", "propertyId": "ppt_1", **done},
    ]
    path = "/account-api/lock/v1/costs?month=2026-03"
    people.answers["GET", path] = (200, {"month": "2026-03", "rows": rows, "sums": {"EUR": "4.54"}})
    said = ask("cost", "show", "2026-03", "--tenant", "tnt_silk")
    assert said.exit_code == 0, said.stdout
    assert all(word in said.stdout for word in ("100.0%", "4.54 EUR", "no price"))


def test_an_incident_that_is_none_is_asked_for_as_it_was_typed_and_refused(people, ask, tmp_path):
    for order in (("close", "a b"), ("agree", "../x"), ("read", "؟", "--key", str(tmp_path / "none.key"))):
        answer = ask("break-glass", *order, *WHO)
        assert (answer.exit_code, "error: " in answer.stderr) == (2, True), answer
        assert people.asked[-1][1].startswith(f"/{GLASS}/")
        assert not {" ", "؟"} & set(people.asked[-1][1])
        assert ".." not in people.asked[-1][1].split("/")

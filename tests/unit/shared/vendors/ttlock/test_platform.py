"""How the platform is asked: name, time and token on every call, one more try where that helps."""

import traceback
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest

from shared.domain.grant import name_at_vendor
from shared.domain.lock_errors import KeyIssueFailed, KeyRevokeFailed, LockError, VendorUnreachable
from shared.domain.secret import Secret
from shared.ports.lock_causes import outcome_unknown
from shared.vendor_kit.http import Answer, ConnectionBroken, ConnectionFailed, TimedOut
from tests.unit.shared.vendors.ttlock.conftest import ACCOUNT, SECRETS, TOKEN

EMPTY, DONE = {"list": [], "pages": 1}, {"errcode": 0}
OURS = {"keyboardPwdName": name_at_vendor("first")}
ADDED, DATE = {"keyboardPwdId": 24242}, {"date": 1777626000000}
CLOCK_OFF = b'{"errcode":80000,"errmsg":"date must be current time"}'


def refused(code, words="no"):
    """Return a refusal as the vendor words it."""
    return {"errcode": code, "errmsg": words, "description": words}


def form(call):
    """Return the fields of a request, wherever they are."""
    raw = call.body.decode() if call.method == "POST" else urlsplit(call.url).query
    return {name: values[0] for name, values in parse_qs(raw).items()}


async def failure(asking):
    """Return the error that asking ends with."""
    with pytest.raises(LockError) as caught:
        await asking
    return caught.value


async def test_first_call_logs_in_with_the_password_s_md5(scripted):
    scripted.say(EMPTY)
    await scripted.vendor.find(scripted.key())
    login = scripted.script.asked[0]
    assert (login.method, urlsplit(login.url).path) == ("POST", "/oauth2/token")
    sent = form(login)
    assert sent.pop("date")
    assert sent == {
        "clientId": ACCOUNT["clientId"],
        "clientSecret": ACCOUNT["clientSecret"],
        "username": ACCOUNT["username"],
        "password": ACCOUNT["passwordMd5"],
    }


async def test_every_call_names_client_token_and_time(scripted):
    scripted.say(EMPTY, ADDED, DATE)
    await scripted.vendor.place(scripted.key(intent_predates=True))
    for call in scripted.script.asked[1:]:
        sent = form(call)
        assert (sent["clientId"], sent["accessToken"]) == ("canary-client", "canary-access")
        assert int(sent["date"]) == scripted.clock.now().timestamp() * 1000


async def test_commands_are_forms_and_carry_the_idempotency_key(scripted):
    scripted.say(ADDED, DATE)
    await scripted.vendor.place(scripted.key())
    added = scripted.script.asked[1]
    assert added.headers == {"content-type": "application/x-www-form-urlencoded"}
    assert urlsplit(added.url).query == ""
    assert form(added)["clientNonce"] == "first"


async def test_wrong_clock_is_set_by_the_date_header_and_the_call_repeated(scripted):
    late = scripted.clock.now() + timedelta(hours=2)
    header = {"date": late.strftime("%a, %d %b %Y %H:%M:%S GMT")}
    scripted.say(Answer(200, header, CLOCK_OFF), EMPTY)
    assert await scripted.vendor.find(scripted.key()) is None
    assert int(form(scripted.script.asked[-1])["date"]) == late.timestamp() * 1000


@pytest.mark.parametrize("codes", [(10003, 80000), (80000, 10004)])
async def test_refused_token_and_wrong_clock_are_both_put_right(scripted, codes):
    now = {"date": "Fri, 01 May 2026 12:00:00 GMT"}
    answers = {
        10003: [refused(10003), TOKEN],
        10004: [refused(10004), TOKEN],
        80000: [Answer(200, now, CLOCK_OFF)],
    }
    scripted.say(*answers[codes[0]], *answers[codes[1]], EMPTY)
    assert await scripted.vendor.find(scripted.key()) is None


@pytest.mark.parametrize("header", [{}, {"date": "Fri, 01 May 2026 09:00:00 GMT"}])
async def test_clock_that_stays_wrong_is_tried_once_more_only(scripted, header):
    scripted.say(*[Answer(200, header, CLOCK_OFF)] * 2)
    error = await failure(scripted.vendor.find(scripted.key()))
    assert (error.cause.kind, len(scripted.script.asked)) == ("clock_off", 3)


@pytest.mark.parametrize("header", ["", "soon", "canary 583914", "Fri, 01 May 2026 09:00:00 -0000"])
async def test_date_that_cannot_be_read_is_ignored(scripted, header):
    scripted.say(*[Answer(200, {"date": header}, CLOCK_OFF)] * 2)
    assert (await failure(scripted.vendor.find(scripted.key()))).cause.kind == "clock_off"


async def test_date_far_away_is_not_believed_and_breaks_no_call_after(scripted):
    far = {"date": "Fri, 31 Dec 9999 23:59:59 GMT"}
    scripted.say(*[Answer(200, far, CLOCK_OFF)] * 2)
    assert (await failure(scripted.vendor.find(scripted.key()))).cause.kind == "clock_off"
    scripted.say(EMPTY, signed_in=True)
    assert await scripted.vendor.find(scripted.key()) is None


@pytest.mark.parametrize("code", [10003, 10004])
async def test_refused_token_is_refreshed_and_the_call_repeated(scripted, code):
    scripted.say(refused(code), {**TOKEN, "access_token": "canary-second"}, EMPTY)
    assert await scripted.vendor.find(scripted.key()) is None
    refresh, repeated = map(form, scripted.script.asked[-2:])
    assert (refresh["grant_type"], refresh["refresh_token"]) == ("refresh_token", "canary-refresh")
    assert repeated["accessToken"] == "canary-second"


@pytest.mark.parametrize("code", [10003, 10004, 10011])
async def test_refused_refresh_ends_in_a_login(scripted, code):
    scripted.say(refused(10004), refused(code), {**TOKEN, "access_token": "canary-third"}, EMPTY)
    assert await scripted.vendor.find(scripted.key()) is None
    assert form(scripted.script.asked[-2])["password"] == ACCOUNT["passwordMd5"]


@pytest.mark.parametrize(
    "odd",
    [{"access_token": odd} for odd in (None, 12345, True, "")]
    + [{"refresh_token": None}, {"expires_in": "soon"}],
)
async def test_token_that_is_none_is_no_answer_and_is_not_kept(scripted, odd):
    scripted.script.answers = [{**TOKEN, **odd}]
    assert (await failure(scripted.vendor.find(scripted.key()))).cause.kind == "unreadable_answer"
    scripted.say(EMPTY)
    assert await scripted.make_vendor().find(scripted.key()) is None


async def test_refresh_token_is_kept_where_none_is_given_instead(scripted):
    second = {"access_token": "canary-second", "expires_in": 7776000}
    scripted.say(refused(10004), second, EMPTY, refused(10004), TOKEN, EMPTY)
    for _ in range(2):
        assert await scripted.vendor.find(scripted.key()) is None
    assert form(scripted.script.asked[-2])["refresh_token"] == "canary-refresh"


async def test_token_that_stays_refused_is_tried_once_more_only(scripted):
    scripted.say(refused(10004), {**TOKEN, "access_token": "canary-second"}, refused(10004))
    error = await failure(scripted.vendor.find(scripted.key()))
    assert (error.cause.kind, error.permanent, len(scripted.script.asked)) == ("token_refused", False, 4)


@pytest.mark.parametrize(("code", "permanent"), [(10000, True), (10001, True), (10007, True), (30008, True)])
async def test_refused_account_is_for_people_to_put_right(scripted, code, permanent):
    scripted.script.answers = [refused(code)]
    error = await failure(scripted.vendor.find(scripted.key()))
    assert (type(error), error.permanent) == (VendorUnreachable, permanent)


@pytest.mark.parametrize(
    ("answer", "cause"),
    [
        (TimedOut("late"), "timeout"),
        (ConnectionFailed("refused"), "no_connection"),
        (ConnectionBroken("reset"), "connection_broken"),
        (Answer(502, {}, b"<html>bad gateway</html>"), "server_error"),
        (Answer(500, {}, b'{"errcode":1}'), "server_error"),
        (refused(90000), "server_error"),
        (b"<html>log in to the hotel's network</html>", "unreadable_answer"),
        (b"[]", "unreadable_answer"),
        (b"", "unreadable_answer"),
        ({"list": None}, "unreadable_answer"),
        ({"list": {}}, "unreadable_answer"),
        ({"list": [OURS]}, "unreadable_answer"),
        ({"list": [7]}, "unreadable_answer"),
        ({"rows": []}, "unreadable_answer"),
        (
            {"list": [{**OURS, "keyboardPwdId": 1, "keyboardPwd": "1", "endDate": "soon"}]},
            "unreadable_answer",
        ),
        (
            {"list": [{**OURS, "keyboardPwdId": 1, "keyboardPwd": "1", "endDate": 10**18}]},
            "unreadable_answer",
        ),
        ({"list": [{**OURS, "keyboardPwdId": 1, "keyboardPwd": "canary"}]}, "unreadable_answer"),
    ],
)
async def test_what_is_no_answer_is_an_unreachable_vendor(scripted, answer, cause):
    scripted.say(answer)
    error = await failure(scripted.vendor.find(scripted.key()))
    assert (type(error), error.cause.kind) == (VendorUnreachable, cause)


@pytest.mark.parametrize(
    "answer", [{}, {"keyboardPwdId": None}, b"<html>", TimedOut("late"), ConnectionBroken("x")]
)
async def test_key_that_was_added_without_being_heard_is_adopted(scripted, answer):
    scripted.say(answer, standing(scripted), DATE)
    at = await scripted.vendor.place(scripted.key())
    assert at.vendor_ref.reveal() == "7"


NO_YES = [
    Answer(302, {"location": "https://login.example"}, b"{}"),
    Answer(302, {}, b'{"errcode":0}'),
    Answer(401, {}, b'{"error":"invalid_token"}'),
    Answer(403, {}, b'{"errcode":0}'),
    Answer(404, {}, b'{"status":404,"error":"Not Found"}'),
    *({}, {"success": False}, {"errcode": None}, {"errcode": ""}, {"errcode": False}, {"errcode": []}),
]


def standing(setting, **changes):
    """Return a list with the key in it."""
    key = setting.key()
    start, end = (int(each.timestamp() * 1000) for each in (key.valid_from, key.valid_until))
    row = {"keyboardPwdId": 7, "keyboardPwd": "583914", "keyboardPwdName": key.name, "isCustom": 1}
    return {"list": [{**row, "startDate": start, "endDate": end, **changes}], "pages": 1}


@pytest.mark.parametrize("answer", NO_YES, ids=repr)
@pytest.mark.parametrize(("act", "moved"), [("remove", {}), ("place", {"endDate": 0})])
async def test_order_that_was_not_answered_yes_may_be_done_or_not(scripted, answer, act, moved):
    scripted.say(standing(scripted, **moved), answer)
    error = await failure(getattr(scripted.vendor, act)(scripted.key(intent_predates=True)))
    assert error.cause.kind == "unreadable_answer"
    assert outcome_unknown(error)


async def test_order_too_many_was_not_carried_out(scripted):
    scripted.say(Answer(429, {}, b'{"message":"Too Many Requests"}'))
    error = await failure(scripted.vendor.place(scripted.key()))
    assert (error.cause.kind, outcome_unknown(error)) == ("rate_limited", False)
    assert scripted.vendor.wait_after(error) == timedelta(minutes=2)


async def test_refusal_is_one_whatever_its_status(scripted):
    scripted.say(Answer(400, {}, b'{"errcode":-3009}'))
    assert (await failure(scripted.vendor.place(scripted.key()))).cause.kind == "lock_full"


@pytest.mark.parametrize("ref", ["", "canary", {"id": 1}, [], False, None, "７"])
async def test_reference_that_is_no_number_is_no_answer(scripted, ref):
    scripted.say({"errcode": 0, "keyboardPwdId": ref}, EMPTY)
    assert outcome_unknown(await failure(scripted.vendor.place(scripted.key())))


async def test_call_that_was_never_made_is_not_looked_up(scripted):
    scripted.say(ConnectionFailed("refused"))
    await failure(scripted.vendor.place(scripted.key()))
    assert len(scripted.script.asked) == 2


@pytest.mark.parametrize(
    ("act", "kind"), [("place", KeyIssueFailed), ("remove", KeyRevokeFailed), ("find", VendorUnreachable)]
)
@pytest.mark.parametrize("code", [-77777, 99999, "-4242"])
async def test_code_nobody_explained_may_be_tried_again_and_is_told_by_its_number(scripted, code, act, kind):
    scripted.say(refused(code, "canary 583914"))
    error = await failure(getattr(scripted.vendor, act)(scripted.key()))
    assert (type(error), error.permanent, error.cause.kind) == (kind, False, "refused")
    assert error.cause.vendor_code == str(code)
    assert "583914" not in repr(error.to_dict()) + str(error)


@pytest.mark.parametrize(
    "code", ["canary", "583914", 583914, [1], {"a": 1}, 1.5, True, "", False, [], "00", "١٢", "-３００３"]
)
async def test_what_is_no_code_is_no_answer(scripted, code):
    scripted.say(refused(code))
    error = await failure(scripted.vendor.find(scripted.key()))
    assert (error.cause.kind, error.cause.vendor_code) == ("unreadable_answer", None)


@pytest.mark.parametrize("code", [0, "0", None])
async def test_code_of_nothing_is_an_answer(scripted, code):
    scripted.say({**EMPTY, "errcode": code})
    assert await scripted.vendor.find(scripted.key()) is None


@pytest.mark.parametrize(
    "answer",
    [
        refused(-3, "canary: 583914 is wrong for canary@example.org, token=canary-access"),
        refused(-4064, "canary-user sent canary-secret to bcfdj_guest"),
        refused("canary", "canary"),
        refused("583914", "canary"),
        Answer(500, {}, b"canary 583914"),
        b"canary 583914",
        {"keyboardPwd": "canary"},
    ],
)
async def test_no_secret_is_told_whatever_the_vendor_says(scripted, answer, capsys, caplog):
    scripted.say(answer, EMPTY)
    error = await failure(scripted.vendor.place(scripted.key()))
    told = "".join(traceback.format_exception(error)) + repr(error.to_dict()) + caplog.text
    told += "".join(capsys.readouterr())
    assert not any(secret in told for secret in (*SECRETS, "583914", "example.org", "bcfdj_guest"))


async def test_row_of_somebody_else_may_be_anything(scripted):
    odd = {"keyboardPwdId": None, "keyboardPwdName": OURS["keyboardPwdName"] + "0", "keyboardPwd": None}
    (ours,) = standing(scripted)["list"]
    scripted.say({"list": [odd, ours, {}], "pages": 1})
    assert (await scripted.vendor.find(scripted.key())).vendor_ref.reveal() == "7"


async def test_list_that_grows_shorter_while_it_is_read_is_read_anew(scripted):
    (ours,) = standing(scripted)["list"]
    others = [{"keyboardPwdName": f"MM-{number}"} for number in range(250)]
    before, after = [*others[:200], ours, *others[200:]], [*others[1:200], ours, *others[200:]]
    pages = [{"list": before[:200], "pages": 2, "total": 251}]
    shorter = [{"list": part, "pages": 2, "total": 250} for part in (after[:200], after[200:])]
    scripted.say(*pages, shorter[1], *shorter)
    assert (await scripted.vendor.find(scripted.key())).vendor_ref.reveal() == "7"


async def test_list_that_never_holds_still_is_no_answer(scripted):
    rows = [{"keyboardPwdName": f"MM-{number}"} for number in range(200)]
    scripted.say(*({"list": rows, "pages": 2, "total": 400 - number} for number in range(6)))
    assert outcome_unknown(await failure(scripted.vendor.find(scripted.key())))


async def test_removal_ends_with_nothing_of_the_name_listed(scripted):
    scripted.say(standing(scripted), DONE, EMPTY)
    await scripted.vendor.remove(scripted.key())
    assert scripted.script.answers == []


async def test_removal_that_leaves_the_name_listed_is_not_done(scripted):
    scripted.say(standing(scripted), DONE, standing(scripted))
    assert outcome_unknown(await failure(scripted.vendor.remove(scripted.key())))


async def test_removal_by_number_takes_one_look(scripted):
    scripted.say(DONE, EMPTY)
    await scripted.vendor.remove(scripted.key(vendor_ref=Secret("7")))
    assert scripted.script.answers == []


@pytest.mark.parametrize("ref", ["", "canary", "1,2"])
async def test_key_of_an_odd_number_is_removed_by_its_name(scripted, ref):
    scripted.say(standing(scripted), DONE, EMPTY)
    await scripted.vendor.remove(scripted.key(vendor_ref=Secret(ref)))
    assert form(scripted.script.asked[2])["keyboardPwdId"] == "7"


async def test_key_whose_number_is_refused_is_removed_by_its_name(scripted):
    scripted.say(refused(-3), standing(scripted), DONE, EMPTY)
    await scripted.vendor.remove(scripted.key(vendor_ref=Secret("6")))
    assert form(scripted.script.asked[3])["keyboardPwdId"] == "7"


async def test_refused_number_is_an_error_where_nothing_has_the_name(scripted):
    scripted.say(refused(-3), EMPTY)
    error = await failure(scripted.vendor.remove(scripted.key(vendor_ref=Secret("6"))))
    assert (type(error), error.cause.kind) == (KeyRevokeFailed, "bad_request")


async def test_lock_out_of_reach_is_not_asked_for_more(scripted):
    scripted.say(refused(-3002))
    error = await failure(scripted.vendor.remove(scripted.key(vendor_ref=Secret("6"))))
    assert (error.cause.kind, scripted.script.answers) == ("gateway_offline", [])

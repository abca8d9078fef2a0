"""SMPP as bytes, and over a socket to a centre that shares no code with it."""

import asyncio
import struct

import pytest

from infra.catchers.outbox import Outbox
from infra.catchers.sms_centre import USER, Centre, serve_centre
from infra.local.ambient import SystemClock
from shared.domain.errors import InvalidInput
from shared.domain.secret import Secret
from shared.notify.accounts import SmppAccount, smpp_account
from shared.notify.pdu_lines import PduSockets
from shared.notify.smpp import SmppCarrier
from shared.notify.smpp_pdu import Addressed, Malformed, Pdu, bound, receipt_in, submitted, unpacked
from shared.ports.messengers import NotNow, OutcomeUnknown, Refused, ShortMessage

TO = Addressed("SilkRoad", "+93700555121", 4)
PASHTO = "ستاسو د دروازې کوډ 482 193 دی. " * 6
# The example of the specification's §2.1 bind, by hand: length, command, status, sequence, then the fields.
BIND = bytes.fromhex("00000020 00000002 00000000 00000001") + b"silk\0" + b"pass\0" + b"\0" + b"\x34\0\0\0"


@pytest.fixture(autouse=True)
def _a_centre_that_says_at_once_what_it_has(monkeypatch):
    monkeypatch.setattr("shared.notify.smpp.QUIET_SECONDS", 0.5)


def account(port, **more):
    return SmppAccount("127.0.0.1", port, USER, Secret("pass"), "SilkRoad", **more)


def short(text, to="+93700555121"):
    return ShortMessage(Secret(to), text, "https://k.example/message-status/sms/tnt/n")


async def with_centre(work):
    """Do something with a centre on a socket of this machine."""
    centre = Centre(Outbox(SystemClock().now), "pass")
    server = await serve_centre(centre, 0)
    async with server:
        return await work(centre, server.sockets[0].getsockname()[1])


def test_a_bind_is_written_as_the_specification_has_it():
    raw = bound(0x2, 1, "silk", "pass").packed()
    assert raw == struct.pack(">I", len(raw)) + BIND[4:]
    assert unpacked(raw) == Pdu(0x2, 1, 0, raw[16:])


@pytest.mark.parametrize(
    ("text", "parts", "coding"),
    [
        ("a" * 160, 1, 0),
        ("a" * 161, 2, 0),
        ("a" * 306, 2, 0),
        ("a" * 307, 3, 0),
        ("é" * 70, 1, 8),
        ("é" * 71, 2, 8),
        ("é" * 134, 2, 8),
        ("é" * 135, 3, 8),
        ("code @ _", 1, 8),
    ],
)
def test_a_text_goes_in_as_few_parts_as_telephones_allow(text, parts, coding):
    made = submitted(5, text, TO, payload=False)
    assert [each.sequence for each in made] == list(range(5, 5 + parts))
    codings = {each.body[each.body.index(b"0000R\0") + 8] for each in made}
    assert codings == {coding}
    wants = [each.body[each.body.index(b"0000R\0") + 6] for each in made]
    assert wants == [0] * (parts - 1) + [1]


def test_no_letter_is_cut_in_two():
    async def work(centre, port):
        text = "x" * 66 + "🔑" * 70
        await SmppCarrier(account(port), PduSockets()).send(short(text))
        return centre.outbox.listed()[0].text == text

    assert asyncio.run(with_centre(work))
    for part in submitted(1, "x" * 66 + "🔑" * 70, TO, payload=False):
        said = part.body[part.body.index(b"\5\0\3") + 6 :]
        assert said.decode("utf-16-be")


@pytest.mark.parametrize("payload", [False, True])
async def test_a_long_message_arrives_whole_and_its_receipt_is_fetched_once(payload):
    async def work(centre, port):
        carrier, heard = SmppCarrier(account(port, payload=payload), PduSockets()), []

        async def hears(receipt):
            heard.append(receipt)

        name = await carrier.send(short(PASHTO))
        (caught,) = centre.outbox.listed("sms")
        assert (caught.text, caught.to, caught.sender) == (PASHTO, "+93700555121", "SilkRoad")
        assert len(centre.receipts) == 1
        if not payload:
            assert (await carrier.receipts(hears), len(centre.receipts)) == (1, 0)
            assert [(int(each.name), each.state) for each in heard] == [(int(name, 16), "DELIVRD")]

    await with_centre(work)


@pytest.mark.parametrize(
    ("fault", "error", "reason"),
    [
        ("no_number", Refused, "no_such_number"),
        ("throttled", NotNow, "too_many"),
        ("breaks", OutcomeUnknown, "provider_broke"),
    ],
)
async def test_each_refusal_means_what_the_ladder_knows(fault, error, reason):
    async def work(centre, port):
        centre.faults.append(fault)
        with pytest.raises(error) as told:
            await SmppCarrier(account(port), PduSockets()).send(short("a code"))
        assert told.value.reason == reason

    await with_centre(work)


async def test_a_receipt_that_could_not_be_heard_is_told_again():
    async def work(centre, port):
        carrier = SmppCarrier(account(port), PduSockets())

        async def fails(_):
            raise RuntimeError

        await carrier.send(short("a code"))
        with pytest.raises(RuntimeError):
            await carrier.receipts(fails)
        assert len(centre.receipts) == 1

    await with_centre(work)


@pytest.mark.parametrize("poison", [b"", b"\0\1\1937", b"\xff" * 40, b"\0\1\1937\0\5\0Silk\0\4" + b"\0" * 8])
async def test_what_is_no_receipt_keeps_none_of_the_others_from_us(poison):
    async def work(centre, port):
        carrier, heard = SmppCarrier(account(port), PduSockets()), []

        async def hears(receipt):
            heard.append(receipt.state)

        centre.receipts.append(poison)
        await carrier.send(short("a code"))
        await carrier.receipts(hears)
        assert (heard, len(centre.receipts)) == (["DELIVRD"], 0)

    await with_centre(work)


async def test_a_wrong_password_and_a_centre_out_of_reach_are_for_later():
    async def work(centre, port):
        centre.password = "another"
        for where, reason in ((port, "login_refused"), (1, "out_of_reach")):
            with pytest.raises(NotNow) as told:
                await SmppCarrier(account(where), PduSockets()).send(short("a code"))
            assert told.value.reason == reason
        assert centre.outbox.listed() == []

    await with_centre(work)


def test_a_receipt_is_read_by_its_parameters_before_its_text():
    text = b"id:12 sub:001 dlvrd:000 submit date:26 done date:26 stat:EXPIRED err:0 text:Id:7 stat:DELIVRD"
    told = b"\0\1\1937\0\5\0Silk\0" + b"\4\0\0\0\0\0\0\0\0" + bytes([len(text)]) + text
    assert (receipt_in(told).name, receipt_in(told).state) == ("12", "EXPIRED")
    more = struct.pack(">HH", 0x1E, 3) + b"7f\0" + struct.pack(">HHB", 0x427, 1, 2)
    assert (receipt_in(told + more).name, receipt_in(told + more).state) == ("7f", "DELIVRD")
    assert receipt_in(told.replace(b"Silk\0\4", b"Silk\0\0")) is None


@pytest.mark.parametrize("size", range(0, 60, 3))
def test_what_breaks_off_is_malformed_and_nothing_else(size):
    text = b"id:12 stat:DELIVRD"
    told = b"\0\1\1937\0\5\0Silk\0" + b"\4\0\0\0\0\0\0\0\0" + bytes([len(text)]) + text
    with pytest.raises(Malformed):
        unpacked(Pdu(5, 1, 0, told).packed()[:size])
    if size < len(told) - len(text):
        with pytest.raises(Malformed):
            receipt_in(told[:size])


@pytest.mark.parametrize(
    ("field", "wrong"), [("port", "x"), ("systemId", "سیلک"), ("password", ""), ("from", "هتل"), ("host", "")]
)
def test_an_account_that_is_not_whole_names_the_field(field, wrong):
    fields = {"host": "smsc.example", "systemId": "silk", "password": "p", "from": "SilkRoad", field: wrong}
    with pytest.raises(InvalidInput) as told:
        smpp_account(fields)
    assert told.value.field in (field, "systemId")

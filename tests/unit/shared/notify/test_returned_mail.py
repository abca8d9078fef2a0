"""Mail that came back is proven by its return path, read without trust, and fetched without losing any."""

import asyncio
from collections import deque

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infra.catchers.mail_server import serve_mail, serve_returned
from infra.catchers.mailbox_server import PASSWORD, USER, report
from infra.catchers.outbox import Outbox
from infra.local.ambient import SystemClock
from shared.domain.errors import InvalidInput
from shared.domain.ids import TenantId
from shared.domain.secret import Secret
from shared.notify.accounts import Bounces, MailAccount, MailboxAccount, bounces_of
from shared.notify.mail import SmtpCarrier
from shared.notify.mail_lines import SocketLines
from shared.notify.mailbox import MOST_AT_ONCE, Mailbox
from shared.notify.return_path import letter_name, notice_at, return_path
from shared.notify.returned_mail import LARGEST, NOTHING, read_returned
from shared.ports.messengers import Letter, NotNow

SILK, OTHER = TenantId("tnt_silk"), TenantId("tnt_other")
NOTICE = "evt_01KSAMP1E00000000000000001"
BOUNCES = Bounces("bounces@silk.example", Secret(b"k" * 32))
PATH = return_path(letter_name(SILK, NOTICE), BOUNCES)
EXCHANGE = b"""\
To: <%s>\r
Content-Type: multipart/report; boundary=x; report-type=delivery-status\r
\r
--x\r
Content-Type: text/html; charset=utf-8\r
\r
<p>nobody</p>\r
--x\r
Content-Type: message/global-delivery-status\r
Content-Transfer-Encoding: 7bit\r
\r
Reporting-MTA: dns;outlook.example\r
\r
Final-Recipient: rfc822;guest@guest.test\r
Action: FAILED\r
Status: 5.4.310 (dns)\r
\r
--x--\r
"""
ABSENT = b"""\
To: %s\r
Auto-Submitted: auto-replied\r
Subject: I am away\r
\r
Action: failed\r
Status: 5.1.1\r
"""


def test_a_return_path_names_its_notice_whatever_case_it_comes_back_in_and_fits_a_mail_server():
    local, _, domain = PATH.partition("@")
    assert len(local) <= 64
    assert domain == "silk.example"
    for address in (PATH, PATH.upper(), f" <{PATH}> "):
        assert notice_at(address, SILK, BOUNCES) == NOTICE
    assert return_path(letter_name(SILK, "imported-7"), BOUNCES) is None


@pytest.mark.parametrize(
    "address",
    [
        "bounces@silk.example",
        PATH.replace("silk.example", "evil.example"),
        PATH.replace("bounces+", "other+"),
        PATH.replace("00001.", "00002."),
        PATH[:40] + ("a" if PATH[40] != "a" else "b") + PATH[41:],
        "bounces+evt_.@silk.example",
        "",
    ],
)
def test_a_return_path_that_we_did_not_write_names_nothing(address):
    assert notice_at(address, SILK, BOUNCES) is None
    assert notice_at(PATH, OTHER, BOUNCES) is None
    assert notice_at(PATH, SILK, Bounces(BOUNCES.address, Secret(b"x" * 32))) is None


@pytest.mark.parametrize(
    ("raw", "word"),
    [
        (report(PATH, "guest@guest.test"), "bounced"),
        (report(PATH, "guest@guest.test", status="5.2.1"), "bounced"),
        (report(PATH, "guest@guest.test", status="5.2.2"), "returned"),
        (report(PATH, "guest@guest.test", status="4.4.7"), "returned"),
        (report(PATH, "guest@guest.test", action="delayed", status="4.4.1"), None),
        (report(PATH, "guest@guest.test", action="relayed", status="2.1.9"), None),
        (report(PATH, "guest@guest.test", action="delivered", status="2.0.0"), "delivered"),
        (EXCHANGE % PATH.encode(), "returned"),
        (ABSENT % PATH.encode(), None),
    ],
)
def test_a_report_says_whether_a_letter_is_lost_and_its_address_with_it(raw, word):
    found = read_returned(raw)
    assert (found.to, found.word) == ((PATH,), word)


def test_a_mail_that_nobody_can_read_says_nothing():
    nested = b"".join(
        b"Content-Type: multipart/mixed; boundary=%d\r\n\r\n--%d\r\n" % (n, n) for n in range(3000)
    )
    assert read_returned(nested).word is None
    assert read_returned(b"x" * (LARGEST + 1)) == NOTHING


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_no_mail_breaks_its_reader(data):
    raw = bytearray(data.draw(st.sampled_from([report(PATH, "g@guest.test"), EXCHANGE % PATH.encode()])))
    for _ in range(data.draw(st.integers(1, 12))):
        at = data.draw(st.integers(0, len(raw) - 1))
        raw[at : at + data.draw(st.integers(0, 9))] = data.draw(st.binary(max_size=9))
        raw = raw or bytearray(b"x")
    assert read_returned(bytes(raw)).word in {None, "bounced", "returned", "delivered"}


class Post:
    """A mail server on loopback, and its mailbox of what came back."""

    def __init__(self):
        self.outbox, self.heard, self.deaf = Outbox(SystemClock().now), [], ()

    async def hears(self, raw):
        """Hear a mail; some are never let go."""
        self.heard.append(raw)
        return raw not in self.deaf

    def read(self, password=PASSWORD):
        """Visit the mailbox."""
        account = MailboxAccount("127.0.0.1", self.port, USER, Secret(password))
        return Mailbox(account, SocketLines()).read(self.hears)


@pytest.fixture
async def post():
    post = Post()
    mail, returned = await serve_mail(post.outbox, deque(), 0), await serve_returned(post.outbox, 0)
    post.mail_port, post.port = (each.sockets[0].getsockname()[1] for each in (mail, returned))
    async with mail, returned:
        yield post


async def test_a_letter_goes_out_by_its_own_return_path_and_its_bounce_is_fetched_once(post):
    account = MailAccount("127.0.0.1", post.mail_port, "keys@silk.example", bounces=BOUNCES)
    name = letter_name(SILK, NOTICE)
    letter = Letter(Secret("bounce@guest.test"), "s", "t", "<p>t</p>", "en", "Hotel", name)
    await SmtpCarrier(account, SocketLines()).send(letter)
    assert await post.read() == 1
    (raw,) = post.heard
    assert [notice_at(each, SILK, BOUNCES) for each in read_returned(raw).to] == [NOTICE]
    assert (await post.read(), len(post.heard)) == (0, 1)


async def test_what_was_not_heard_stays_and_what_is_too_large_or_too_long_goes(post):
    good, large = report(PATH, "g@guest.test"), b"a\r\n" * (LARGEST // 3 + 1)
    post.deaf = (report(PATH, "deaf@guest.test"),)
    post.outbox.returned += [*post.deaf, large, good, b"y" * 70_000, report(PATH, "last@guest.test")]
    assert await post.read() == 3  # the line of 70,000 letters ends the visit, and goes with what was heard
    assert len(post.heard) == 2
    assert await post.read() == 1
    assert post.outbox.returned == [*post.deaf]


async def test_a_full_mailbox_is_read_in_several_visits_and_a_wrong_password_in_none(post):
    post.outbox.returned += [report(PATH, f"g{n}@guest.test") for n in range(MOST_AT_ONCE + 5)]
    with pytest.raises(NotNow, match="refused"):
        await post.read("guess")
    assert [await post.read() for _ in range(3)] == [MOST_AT_ONCE, 5, 0]


async def test_a_visit_that_takes_long_lets_go_what_was_heard(post, monkeypatch):
    post.outbox.returned += [b"Subject: one\r\n", b"Subject: two\r\n"]
    with monkeypatch.context() as patched:
        patched.setattr("shared.notify.mailbox.LEAVES_AFTER", 0.0)
        assert (await post.read(), post.outbox.returned) == (1, [b"Subject: two\r\n"])
    assert (await post.read(), post.outbox.returned) == (1, [])


async def test_a_mailbox_that_nobody_serves_is_left_for_later():
    server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    account = MailboxAccount("127.0.0.1", port, USER, Secret(PASSWORD))
    async with server:
        with pytest.raises(NotNow):
            await Mailbox(account, SocketLines()).read(Post().hears)
    with pytest.raises(NotNow):
        await Mailbox(account, SocketLines()).read(Post().hears)


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ("yes", "bounces"),
        ({"address": "nobody", "key": "a" * 44}, "address"),
        ({"address": "a-very-long-local-part@silk.example", "key": "a" * 44}, "address"),
        ({"address": "b@silk.example", "key": "short"}, "key"),
        ({"address": "b@silk.example", "key": "a" * 44, "host": "h", "user": "u"}, "password"),
        (
            {
                "address": "b@silk.example",
                "key": "a" * 44,
                "host": "h",
                "user": "u\r\nDELE 1",
                "password": "p",
            },
            "user",
        ),
    ],
)
def test_an_account_that_is_not_whole_names_its_field(said, field):
    with pytest.raises(InvalidInput) as refusal:
        bounces_of({"bounces": said})
    assert refusal.value.field == field

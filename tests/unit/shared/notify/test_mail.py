"""Mail over a real socket to a real server: what arrives, and what each refusal means."""

import asyncio
import ipaddress
import ssl
from collections import deque
from datetime import timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from infra.catchers.mail_server import serve_mail
from infra.catchers.outbox import Outbox
from infra.local.ambient import SystemClock
from shared.domain.secret import Secret
from shared.messages.compose import compose
from shared.messages.kinds import MessageKind
from shared.messages.locales import Locale
from shared.messages.shown import longest_of
from shared.messages.square import square_png
from shared.messages.texts import our_texts
from shared.notify.accounts import MailAccount, mail_account
from shared.notify.mail import SmtpCarrier, written
from shared.notify.mail_lines import SocketLines
from shared.ports.messengers import Letter, NotNow, OutcomeUnknown, Refused

ADDRESS = "guest@example.test"


class Post:
    """A mail server on loopback, and what it took."""

    def __init__(self):
        self.outbox, self.faults = Outbox(SystemClock().now), deque()

    def carrier(self, **account):
        given = {"host": "127.0.0.1", "port": self.port, "sender": "keys@silk.example", **account}
        return SmtpCarrier(MailAccount(**given), SocketLines())


@pytest.fixture
async def post():
    post = Post()
    server = await serve_mail(post.outbox, post.faults, 0)
    post.port = server.sockets[0].getsockname()[1]
    async with server:
        yield post


def letter(locale=Locale.PS, to=ADDRESS, text=None):
    email = compose(our_texts(), MessageKind.PIN_CODE_DELIVERED, locale, longest_of(3)).email
    return Letter(
        to=Secret(to),
        subject=email.subject,
        text=text or email.text,
        html=email.html,
        language=locale.value,
        sender="کابل Palace",
        name="evt_1.tnt_silk",
        square=square_png("HTTPS://K.EXAMPLE/C/1"),
    )


@pytest.mark.parametrize(("host", "port"), [("mail..example", 587), ("127.0.0.1", 99999), ("mail\0", 465)])
async def test_an_account_that_names_no_machine_is_out_of_reach_as_any_other(post, host, port):
    with pytest.raises(NotNow):
        await post.carrier(host=host, port=port).send(letter())


@pytest.mark.parametrize("locale", Locale)
async def test_a_letter_arrives_as_it_was_written_in_every_language(post, locale):
    sent = letter(locale)
    assert "ok" in await post.carrier().send(sent)
    (caught,) = post.outbox.listed()
    assert (caught.to, caught.subject, caught.language) == (ADDRESS, sent.subject, locale.value)
    assert caught.text.replace("\r\n", "\n").strip() == sent.text.strip()
    assert caught.html.replace("\r\n", "\n").strip() == sent.html.strip()
    assert caught.square == sent.square
    assert caught.data["message-id"] == "<evt_1.tnt_silk@silk.example>"
    assert caught.sender == "کابل Palace <keys@silk.example>"


async def test_lines_that_begin_with_a_dot_end_no_letter(post):
    await post.carrier().send(letter(text="one\n.\n..two\n"))
    (caught,) = post.outbox.listed()
    assert caught.text.replace("\r\n", "\n") == "one\n.\n..two\n"


@pytest.mark.parametrize(
    ("fault", "kind", "reason", "caught"),
    [
        ("bad_address", Refused, "no_such_address", 0),
        ("busy", NotNow, "provider_refused", 0),
        ("away", NotNow, "provider_refused", 0),
        ("breaks", OutcomeUnknown, "line_broke", 1),
    ],
)
async def test_each_refusal_is_told_by_what_it_means_for_the_letter(post, fault, kind, reason, caught):
    post.faults.append(fault)
    with pytest.raises(kind) as trouble:
        await post.carrier().send(letter())
    assert (trouble.value.reason, len(post.outbox.listed())) == (reason, caught)


async def test_nobody_at_the_other_end_is_a_refusal_for_now():
    with pytest.raises(NotNow):
        await SmtpCarrier(MailAccount("127.0.0.1", 1, "keys@silk.example"), SocketLines()).send(letter())


async def test_neither_password_nor_letter_goes_to_a_server_elsewhere_in_the_clear(post):
    class Elsewhere(SocketLines):
        async def open(self, host, port, *, encrypted):
            return await super().open("127.0.0.1", port, encrypted=encrypted)

    account = MailAccount("mail.example", post.port, "keys@silk.example", "me", Secret("canary"))
    with pytest.raises(NotNow) as trouble:
        await SmtpCarrier(account, Elsewhere()).send(letter())
    assert (trouble.value.reason, post.outbox.listed()) == ("server_not_encrypted", [])
    assert "canary" not in repr(account)


@pytest.fixture
def certified(tmp_path, monkeypatch):
    """What a server on this machine proves itself with, trusted like any other."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([])
    here = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    made = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    made = made.add_extension(here, critical=True).not_valid_before(SystemClock().now() - timedelta(days=1))
    made = made.not_valid_after(SystemClock().now() + timedelta(days=1))
    pem = made.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (tmp_path / "trusted.pem").write_bytes(pem)
    (tmp_path / "both.pem").write_bytes(secret + pem)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "trusted.pem"))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(tmp_path / "both.pem")
    return context


class Encrypting:
    """A mail server that encrypts its line, and somebody on the way who may add words before it does."""

    def __init__(self, context, added=b""):
        self.context, self.added, self.heard = context, added, []

    async def talk(self, reader, writer):
        writer.write(b"220 here\r\n")
        await reader.readline()
        writer.write(b"250-here\r\n250 STARTTLS\r\n")
        await reader.readline()
        writer.write(b"220 go\r\n" + self.added)
        await writer.start_tls(self.context)
        while line := await reader.readline():
            self.heard.append(line.strip())
            writer.write(b"250 ok\r\n" if line.strip() != b"DATA" else b"354 go\r\n")
            if line.strip() == b"DATA":
                await reader.readuntil(b"\r\n.\r\n")
                writer.write(b"250 taken\r\n")
        writer.close()

    async def sent(self, **account):
        """Send it a letter."""
        server = await asyncio.start_server(self.talk, "127.0.0.1", 0)
        async with server:
            port = server.sockets[0].getsockname()[1]
            given = MailAccount("127.0.0.1", port, "keys@silk.example", **account)
            return await SmtpCarrier(given, SocketLines()).send(letter())


async def test_a_letter_goes_over_a_line_that_was_encrypted_on_the_way(certified):
    server = Encrypting(certified)
    assert await server.sent() == "taken"
    assert server.heard[0] == b"EHLO keyfleet"


@pytest.mark.parametrize("added", [b"250 ok\r\n", b"250-AUTH PLAIN\r\n250 ok\r\n", b"x"])
async def test_words_that_came_in_the_clear_before_the_line_was_encrypted_are_nobodys(certified, added):
    server = Encrypting(certified, added)
    with pytest.raises(NotNow) as trouble:
        await server.sent(user="me", password=Secret("canary"))
    assert (trouble.value.reason, server.heard) == ("line_broke", [])


async def test_a_server_whose_line_never_ends_is_given_up_for_now():
    async def talk(_reader, writer):
        writer.write(b"220 " + b"x" * 10_000 + b"\r\n")
        writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(NotNow) as trouble:
            await SmtpCarrier(MailAccount("127.0.0.1", port, "k@silk.example"), SocketLines()).send(letter())
    assert trouble.value.reason == "line_broke"


async def test_the_catcher_answers_a_line_that_is_too_long_and_outlives_who_hangs_up(post):
    reader, writer = await asyncio.open_connection("127.0.0.1", post.port)
    await reader.readline()
    writer.write(b"EHLO " + b"x" * 10_000 + b"\r\n")
    assert await reader.readline() == b"500 5.5.2 line too long\r\n"
    assert await reader.read() == b""
    writer.close()
    _, gone = await asyncio.open_connection("127.0.0.1", post.port)
    gone.transport.abort()
    assert "ok" in await post.carrier().send(letter())


@pytest.mark.parametrize("address", ["", "nobody", "a@b\r\nBcc: c@d", "a@b>, <c@d", "a b@c"])
def test_what_is_no_address_never_reaches_a_server(address):
    with pytest.raises(Refused, match="no such address"):
        written(letter(to=address), "keys@silk.example")


def test_an_accounts_fields_are_checked_by_name():
    with pytest.raises(ValueError, match="from: no address"):
        mail_account({"host": "mail.example", "from": "keys"})

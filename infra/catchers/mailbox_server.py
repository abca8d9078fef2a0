"""The mailbox of what came back to the catcher: POP3 as RFC 1939 has it, and a report of a bounce."""

from typing import Final

USER, PASSWORD = "bounces", "bounces"
"""Of a mailbox on loopback that holds made-up reports."""
_OK: Final = b"+OK\r\n"
_NO: Final = b"-ERR\r\n"
_REPORT: Final = """\
From: MAILER-DAEMON@catcher.example
To: {to}
Subject: Undelivered mail
Auto-Submitted: auto-replied
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary="parts"

--parts
Content-Type: text/plain

A letter to {letter_to} did not arrive.
--parts
Content-Type: message/delivery-status

Reporting-MTA: dns; catcher.example

Final-Recipient: rfc822; {letter_to}
Action: {action}
Status: {status}
--parts--
"""


def report(to: str, letter_to: str, *, action: str = "failed", status: str = "5.1.1") -> bytes:
    """Return what a mail server sends back of a letter (RFC 3464)."""
    said = _REPORT.format(to=to, letter_to=letter_to, action=action, status=status)
    return said.replace("\n", "\r\n").encode()


class PopSession:
    """One client's dialogue with a mailbox: lines in, replies out; what is marked goes with QUIT."""

    def __init__(self, mails: list[bytes]) -> None:
        self._mails, self._seen, self._marked = mails, list(mails), set[int]()
        self._user = False
        self._in = False
        self.over = False

    def greeting(self) -> bytes:
        """What a client is told first."""
        return b"+OK catcher ready\r\n"

    def received(self, line: bytes) -> bytes:
        """Take a line, and return what to answer."""
        verb, _, rest = line.strip().partition(b" ")
        doings = {b"USER": self._named, b"PASS": self._proven, b"QUIT": self._quit}
        inside = {b"STAT": self._stat, b"LIST": self._size, b"RETR": self._mail, b"DELE": self._mark}
        if self._in:
            doings |= inside
        doing = doings.get(verb.upper())
        return _NO if doing is None else doing(rest)

    def overlong(self) -> bytes:
        """Answer a line that is longer than we take."""
        self.over = True
        return b"-ERR line too long\r\n"

    def _named(self, rest: bytes) -> bytes:
        self._user = rest == USER.encode()
        return _OK

    def _proven(self, rest: bytes) -> bytes:
        self._in = self._user and rest == PASSWORD.encode()
        return _OK if self._in else _NO

    def _quit(self, _: bytes) -> bytes:
        gone = {id(self._seen[number - 1]) for number in self._marked}
        self._mails[:] = [each for each in self._mails if id(each) not in gone]
        self.over = True
        return _OK

    def _stat(self, _: bytes) -> bytes:
        return b"+OK %d %d\r\n" % (len(self._seen), sum(map(len, self._seen)))

    def _size(self, rest: bytes) -> bytes:
        found = self._numbered(rest)
        return _NO if found is None else b"+OK %s %d\r\n" % (rest, len(found))

    def _mail(self, rest: bytes) -> bytes:
        found = self._numbered(rest)
        if found is None:
            return _NO
        lines = (b"." + each if each.startswith(b".") else each for each in found.splitlines())
        return b"+OK\r\n" + b"".join(line + b"\r\n" for line in lines) + b".\r\n"

    def _mark(self, rest: bytes) -> bytes:
        if self._numbered(rest) is None:
            return _NO
        self._marked.add(int(rest))
        return _OK

    def _numbered(self, rest: bytes) -> bytes | None:
        number = int(rest) if rest.isdigit() else 0
        there = 0 < number <= len(self._seen) and number not in self._marked
        return self._seen[number - 1] if there else None

"""Who is signed in at this screen: opaque tokens, hashed, gone after five idle minutes or a shift."""

import base64
import hashlib
import hmac
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from shared.ports.ambient import Clock, Entropy

IDLE: Final = timedelta(minutes=5)
LONGEST: Final = timedelta(hours=12)
TOKEN_BYTES: Final = 32
MOST: Final = 20
TRIES: Final = 5
AGAIN: Final = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Session:
    """One person at this screen."""

    user: str
    proof: str
    """What every form of theirs must bring along: no other page can know it."""
    began: datetime
    seen: datetime


class Sessions:
    """The sessions of one screen, in this process alone; and how often somebody may guess a PIN."""

    def __init__(self, clock: Clock, entropy: Entropy) -> None:
        self._clock, self._entropy = clock, entropy
        self._kept: dict[str, Session] = {}
        self._failed: list[datetime] = []

    def begin(self, user: str) -> str:
        """Begin a session, and return its token."""
        now, token = self._clock.now(), self.drawn()
        self._kept = {key: each for key, each in self._kept.items() if _lasts(each, now)}
        while len(self._kept) >= MOST:
            self._kept.pop(min(self._kept, key=lambda key: self._kept[key].seen))
        self._kept[_hashed(token)] = Session(user, self.drawn(), now, now)
        return token

    def find(self, token: str) -> Session | None:
        """Return a session that lasts, and note that it was used."""
        key, now = _hashed(token), self._clock.now()
        session = self._kept.get(key)
        if session is None or not _lasts(session, now):
            self._kept.pop(key, None)
            return None
        self._kept[key] = replace(session, seen=now)
        return session

    def end(self, token: str) -> None:
        """End a session."""
        self._kept.pop(_hashed(token), None)

    def may_try(self) -> bool:
        """Say whether a PIN may be tried now: five that were wrong, and the screen waits a minute.

        A try counts as wrong until it is proved right, or many at once would all be let try. One that may
        not be made is not counted, or an impatient clerk would wait for ever.
        """
        now = self._clock.now()
        self._failed = [each for each in self._failed if timedelta(0) <= now - each < AGAIN]
        if len(self._failed) >= TRIES:
            return False
        self._failed.append(now)
        return True

    def proved(self) -> None:
        """Note that a PIN that was tried is right."""
        self._failed = self._failed[:-1]

    def drawn(self) -> str:
        """Return a text that nobody guesses."""
        return base64.urlsafe_b64encode(self._entropy.token(TOKEN_BYTES)).decode().rstrip("=")


def proves(session: Session, proof: str) -> bool:
    """Say whether a form comes from a page that we showed this person."""
    return hmac.compare_digest(session.proof.encode(), proof.encode())


def _lasts(session: Session, now: datetime) -> bool:
    # Both ways: a clock that is set back must not keep a screen open that its clerk has left.
    return abs(now - session.seen) < IDLE and abs(now - session.began) < LONGEST


def _hashed(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()

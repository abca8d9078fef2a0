"""What an issuer publishes to check its tokens with: fetched seldom, in one flight, and kept through outages.

| when | then |
|---|---|
| the key is known and in date | it is used; nobody is asked |
| the key is new, or the set is out of date | one fetch for all who wait, and at most one a minute |
| nothing is known, and the fetch failed | one fetch in five seconds |
| the fetch fails | known keys stay good for a day beyond their date; of unknown ones nothing can be said |
"""

import asyncio
import re
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Generic, TypeVar

K = TypeVar("K")
ASK_AGAIN_AFTER: Final = timedelta(minutes=1)
TRY_AGAIN_AFTER: Final = timedelta(seconds=5)
GRACE: Final = timedelta(days=1)
_MAX_AGE: Final = re.compile(r"\bmax-age=(\d{1,7})\b")
SHORTEST, LONGEST = timedelta(minutes=1), timedelta(days=1)


class IssuerOutOfReach(Exception):
    """An issuer whose keys cannot be had now: nothing can be said of its tokens."""


@dataclass(frozen=True, slots=True)
class Published(Generic[K]):
    """A set of keys by their ids, and for how long it may be believed."""

    keys: Mapping[str, K]
    max_age: timedelta | None = None


class PublishedKeys(Generic[K]):
    """The keys of one address."""

    def __init__(
        self, fetch: Callable[[], Coroutine[Any, Any, Published[K]]], now: Callable[[], datetime]
    ) -> None:
        self._fetch, self._now = fetch, now
        self._keys: Mapping[str, K] = {}
        self._asked: datetime | None = None
        self._good_until: datetime | None = None
        self._failed = False
        self._flight: asyncio.Future[None] | None = None

    async def find(self, key_id: str) -> K | None:
        """Return a key, None if the issuer has none of that name, or raise IssuerOutOfReach."""
        if self._is_wanting(key_id, self._now()):
            await self._refreshed()
        found = self._keys.get(key_id) if self._is_believed(self._now()) else None
        if found is None and self._failed:
            raise IssuerOutOfReach("the issuer's keys cannot be had now")
        return found

    def _is_wanting(self, key_id: str, now: datetime) -> bool:
        in_date = self._good_until is not None and now < self._good_until
        if key_id in self._keys and in_date:
            return False
        wait = ASK_AGAIN_AFTER if self._keys else TRY_AGAIN_AFTER
        return self._flight is not None or self._asked is None or now >= self._asked + wait

    def _is_believed(self, now: datetime) -> bool:
        return self._good_until is not None and now < self._good_until + GRACE

    async def _refreshed(self) -> None:
        if self._flight is None:
            # Noted before the answer: a slow or broken issuer is not asked once per token.
            self._asked = self._now()
            self._flight = asyncio.ensure_future(self._refresh())
        # Whoever stops waiting does not stop the others.
        await asyncio.shield(self._flight)

    async def _refresh(self) -> None:
        try:
            published = await self._fetch()
        except IssuerOutOfReach:
            self._failed = True
        else:
            self._failed, self._keys = False, published.keys
            age = published.max_age or ASK_AGAIN_AFTER
            self._good_until = self._now() + min(max(age, SHORTEST), LONGEST)
        finally:
            self._flight = None


def max_age(headers: Mapping[str, str]) -> timedelta | None:
    """Return for how long an answer says that it may be believed."""
    found = _MAX_AGE.search(headers.get("cache-control", ""))
    return timedelta(seconds=int(found[1])) if found else None

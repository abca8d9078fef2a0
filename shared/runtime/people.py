"""Who of a tenant's people or programs makes a request: proven here, for every entry that they use."""

from collections import OrderedDict
from typing import Final

from shared.domain.ids import UserId
from shared.domain.permissions import Principal
from shared.domain.sign_in import StaffIssuer
from shared.kernel.api_keys import BEGINS, proven_by, read_key
from shared.kernel.identity import Unauthenticated, bearer
from shared.kernel.people import PeopleChecker, SignIn
from shared.kernel.published import IssuerOutOfReach, Published, PublishedKeys, max_age
from shared.kernel.signing_keys import PublicKey, UnreadableKeys, read_keys
from shared.ports.ambient import Clock
from shared.runtime.platform import Platform
from shared.usecases.hotels.staff_access import StaffAccess
from shared.vendor_kit.http import Call, CallFault, Http

LARGEST_KEY_SET: Final = 256 * 1024
PATIENCE_SECONDS: Final = 5.0
MOST_ISSUERS: Final = 256


class FetchedKeys:
    """The keys of issuers, each from its registered address; those of the longest unasked give way."""

    def __init__(self, http: Http, clock: Clock) -> None:
        self._http, self._clock = http, clock
        self._published: OrderedDict[str, PublishedKeys[PublicKey]] = OrderedDict()

    async def find(self, issuer: StaffIssuer, key_id: str) -> PublicKey | None:
        """Return the issuer's key of this name, or None; raise IssuerOutOfReach if nobody can say."""
        return await self._of(issuer.jwks_uri).find(key_id)

    def _of(self, address: str) -> PublishedKeys[PublicKey]:
        if address not in self._published:
            self._published[address] = PublishedKeys(lambda: self._fetch(address), self._clock.now)
        self._published.move_to_end(address)
        if len(self._published) > MOST_ISSUERS:
            self._published.popitem(last=False)
        return self._published[address]

    async def _fetch(self, address: str) -> Published[PublicKey]:
        try:
            answer = await self._http.send(Call("GET", address, timeout=PATIENCE_SECONDS))
        except CallFault:
            raise IssuerOutOfReach("the issuer does not answer") from None
        if answer.status != 200 or len(answer.body) > LARGEST_KEY_SET:
            raise IssuerOutOfReach("the issuer answers with something else than its keys")
        try:
            keys = read_keys(answer.body)
        except UnreadableKeys:
            raise IssuerOutOfReach("the issuer answers with something else than its keys") from None
        return Published(keys, max_age(answer.headers))


class People:
    """Proves who calls, by a person's token or a service account's key."""

    def __init__(self, on: Platform) -> None:
        self._clock, self._access = on.clock, StaffAccess(on.hotels, on.clock.now)
        self._checker = PeopleChecker(on.sign_in or SignIn(), FetchedKeys(on.http, on.clock), on.clock.now)

    async def principal(self, authorization: str | None, *, changes: bool = False) -> Principal:
        """Return the principal behind an Authorization header, or raise Unauthenticated.

        Of a person who `changes` something the store is asked whether they were stopped just now.
        """
        text = bearer(authorization)
        if text.startswith(BEGINS):
            return await self._program(text)
        person = await self._checker.person(text, self._access.of)
        user, tenant = person.id, person.tenant
        if isinstance(user, UserId) and await self._access.is_stopped(tenant, user, anew=changes):
            raise Unauthenticated("this person may sign in no more")
        return person

    async def _program(self, text: str) -> Principal:
        key = read_key(text)
        kept = await self._access.integrator(key.tenant, key.integrator)
        return proven_by(key, kept, self._clock.now())


def people_of(on: Platform) -> People:
    """Return the checker of people of this process."""
    if "people" not in on.kept:
        on.kept["people"] = People(on)
    people: People = on.kept["people"]
    return people

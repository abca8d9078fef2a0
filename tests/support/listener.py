"""Who listens at every door of a simulated hotel, and so learns what nobody else may."""

import hashlib
import re
from base64 import b64encode
from urllib.parse import parse_qsl, urlsplit

import orjson

PINS, REFS = ("keyboardPwd", "newKeyboardPwd"), ("keyboardPwdId",)
TOKENS = ("accessToken", "access_token", "refresh_token")
ACCOUNT = ("password", "client_secret", "clientSecret")
SECRETS = (*PINS, *REFS, *TOKENS, *ACCOUNT)
GUESTS = ("/guest-page", "/guest-api", "/lock-reveal")
BROUGHT = "/account-api/lock/v1/vendor-accounts/next"
TYPED = ("/challenge-door", "/challenge")
"""Whoever asks for a challenge is told its code, once, to type it at the door."""
WORD = re.compile(r"[0-9A-Za-z]+")
FRACTION = re.compile(r"(?<![0-9A-Za-z.])[0-9]+\.[0-9]+Z?(?![0-9A-Za-z.])")
"""A number with a fraction, and the seconds of an instant: digits of a PIN stand on either side of the point
by chance. A vendor's limit keeps the moments of its calls, in milliseconds and parts of one."""


class Listener:
    """Hears what the vendor is told and says, what functions are asked and answer, and what is published."""

    def __init__(self, house):
        self.heard = {name: set() for name in SECRETS}
        self.inside, self.published = [], []
        fleet = house.fleet
        house.vendor.send = self._at_the_vendor(house.vendor.send)
        fleet.means.transport.send = self._between_functions(fleet.means.transport.send)
        fleet.bus.publish = self._on_the_bus(fleet.bus.publish)

    @property
    def secrets(self):
        """Everything that opens a door or an account, or is a vendor's name for it."""
        return set().union(*self.heard.values())

    def of(self, names):
        """Return the secrets that went by these names."""
        return set().union(*(self.heard[name] for name in names))

    def _at_the_vendor(self, send):
        async def listening(call):
            self._note(parse_qsl(call.body.decode()) + parse_qsl(urlsplit(call.url).query))
            answer = await send(call)
            if answer.body.startswith(b"{"):
                self._note(_pairs(orjson.loads(answer.body)))
            return answer

        return listening

    def _between_functions(self, send):
        async def listening(call):
            answer = await send(call)
            path = urlsplit(call.url).path
            # What comes in from outside is not ours: a booking names its guest, a person brings an account.
            asked = b"" if path.startswith(("/on-", "/webhook-", BROUGHT)) else call.body
            # What a guest is answered is theirs to read, and what was revealed, whoever's who asked for it.
            said = b"" if path.startswith(GUESTS) or path.endswith(TYPED) else answer.body
            self.inside.append(f"{path} {asked.decode()} {answer.status} {said.decode()}")
            return answer

        return listening

    def _on_the_bus(self, publish):
        async def listening(topic, messages):
            self.published += [
                (topic, f"{each.attributes} {each.data.decode(errors='replace')}") for each in messages
            ]
            return await publish(topic, messages)

        return listening

    def _note(self, pairs):
        for name, value in pairs:
            if name in self.heard:
                self.heard[name].add(str(value))


def found(text, canaries):
    """Return which canaries stand in a text, plain or encoded, and not within a longer word or number."""
    searched = FRACTION.sub(" ", text)
    words = set(WORD.findall(searched))
    forms = {form: each for each in canaries for form in _forms(each)}
    # Thousands of forms in megabytes: most are one word, and for others it is known which cannot be there.
    likely = (form for form in forms if words.issuperset(WORD.findall(form)))
    return {forms[form] for form in likely if form in words or _stands(form, searched)}


def _stands(form, text):
    return re.search(rf"(?<![0-9A-Za-z]){re.escape(form)}(?![0-9A-Za-z])", text) is not None


def _forms(canary):
    plain = canary.encode()
    digests = (hashlib.new(name, plain).hexdigest() for name in ("md5", "sha1", "sha256", "blake2b"))
    # A digest of six digits without a key hides nothing: there are a million of them.
    return canary, plain.hex(), b64encode(plain).decode().rstrip("="), *digests


def _pairs(answer):
    return [pair for row in (answer, *answer.get("list", ())) for pair in row.items()]

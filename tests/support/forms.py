"""Requests drawn by chance from what an API's description allows, in a tenth of a millisecond each.

Schemathesis draws them with Hypothesis, for 4 ms each, and a third of its own differ only in an authorization
that ours takes the place of. Here edges are drawn as often as all between them: nothing, the shortest, the
longest, text that programs stumble over. A keyword of JSON Schema that nobody here knows is refused.
"""

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random

from tests.support.patterns import drawn_from

KNOWN = {
    *("type", "enum", "anyOf", "$ref", "default", "title", "description", "examples"),
    *("properties", "required", "additionalProperties", "maxProperties", "items", "minItems", "maxItems"),
    *("minLength", "maxLength", "pattern", "format", "minimum", "maximum"),
}
LARGEST, LONGEST, MANY, DEEPEST = 2**53 - 1, 400, 40, 3
"""What is drawn of a number, a text or a list whose description has no end, and how deep anything goes."""
STUMBLES = (
    *("", " ", "0", "-1", "null", "true", "undefined", "NaN", "1e999", "..", "/", "../../etc/passwd"),
    *("\x00", "\n", "\t", "\x1f", "\x7f", "\x85", "\u200b", "\u202e", "\ufeff", "\u2028", "\ufffd", "\uffff"),
    *("é", "e\u0301", "ß", "İ", "ﬁ", "٣", "۴", "۰۱", "😀", "👩\u200d👧", "𝟘", "دروازه", "کلید ۱"),
    *("'", '"', "' OR 1=1 --", "<script>", "*", "\\", "a,b", "a;b", "{0}", "${7*7}", ":", "x@y"),
    *("http://[::1", "https://", "//x", "%00", "%2e", "%s", "ppt_kabul", "2026-02-30"),
)
LETTERS = "abzAZ059-_.~!*'();:@&=+$,/?%#[] \"<>\\^`{|}\x00\n\x7f\xa0éßİ٣\u200b\u202e\ufeff\uffff😀"
FIRST, LAST = datetime(1000, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
LEAP, FAR_LEAP = datetime(2028, 2, 29, tzinfo=UTC), datetime(2400, 2, 29, 23, 59, 59, tzinfo=UTC)
NUMBERS = (0, 1, -1, 0.5, -0.0, 1e-9, 2**31, -(2**63), LARGEST, 1e308, 2.2250738585072014e-308)


@dataclass(frozen=True, slots=True)
class Form:
    """What one request says."""

    path: dict = field(default_factory=dict)
    headers: dict = field(default_factory=dict)
    query: dict = field(default_factory=dict)
    body: object = None


class Forms:
    """Draws requests of any operation of a description."""

    def __init__(self, description: dict, chance: Random) -> None:
        self._models, self._chance = description["components"]["schemas"], chance
        self._kinds = {
            "string": self._text,
            "integer": self._integer,
            "boolean": lambda _: chance.random() < 0.5,
            "array": self._list,
            "object": self._object,
        }

    def draw(self, operation: dict) -> Form:
        """Return a request of an operation, as its description allows."""
        told = {"path": {}, "header": {}, "query": {}}
        likely = self._likely()
        for each in operation.get("parameters", ()):
            if each.get("required") or self._chance.random() < likely:
                draw = self._header if each["in"] == "header" else self.value
                told[each["in"]][each["name"]] = draw(each["schema"])
        body = None
        if "requestBody" in operation:
            ((_, content),) = operation["requestBody"]["content"].items()
            body = self.value(content["schema"])
        return Form(told["path"], told["header"], told["query"], body)

    def value(self, schema: dict) -> object:
        """Return a value that a schema allows."""
        assert schema.keys() <= KNOWN, f"a keyword that nobody here knows: {schema.keys() - KNOWN}"
        if "$ref" in schema:
            return self.value(self._models[schema["$ref"].rpartition("/")[2]])
        if "anyOf" in schema:
            return self.value(self._chance.choice(schema["anyOf"]))
        if "default" in schema and self._chance.random() < 0.1:
            return schema["default"]
        if "enum" in schema:
            return self._chance.choice(schema["enum"])
        return self._kinds[schema["type"]](schema)

    def _likely(self) -> float:
        """Return how likely anything is that may be missing: never, always, or by chance."""
        return self._chance.choice((0.0, 0.5, 0.5, 1.0))

    def _size(self, least: int, most: int) -> int:
        """Return a size: an edge, a few, or any."""
        few, some = self._chance.randint(least, min(most, least + 3)), self._chance.randint(least, most)
        return self._chance.choices((least, few, some, most), (3, 10, 1, 1))[0]

    def _header(self, schema: dict) -> str:
        """Return what can be sent in a header: one line of Latin-1, with no blank at either end."""
        drawn = str(self.value(schema)).encode("latin-1", "ignore").decode("latin-1")
        return re.sub(r"[\x00-\x1f\x7f]", "", drawn).strip()

    def _text(self, schema: dict) -> str:
        least, most = schema.get("minLength", 0), schema.get("maxLength", LONGEST)
        if schema.get("format") == "date-time":
            return self._moment()
        if "pattern" in schema:
            tries = (drawn_from(schema["pattern"], self._chance) for _ in range(100))
            return next(each for each in tries if least <= len(each) <= most)
        if self._chance.random() < 0.3 and least <= len(word := self._chance.choice(STUMBLES)) <= most:
            return word
        return "".join(self._chance.choices(LETTERS, k=self._size(least, most)))

    def _moment(self) -> str:
        """Return an instant: an edge, about now, or any."""
        near = datetime(2026, 3, 1, tzinfo=UTC) + timedelta(minutes=self._chance.randrange(60 * 24 * 60))
        some = FIRST + timedelta(seconds=self._chance.randrange(int((LAST - FIRST).total_seconds())))
        at = self._chance.choice((FIRST, LAST, LEAP, FAR_LEAP, near, near, some))
        return f"{at:%Y-%m-%dT%H:%M:%S}{self._chance.choice(('', '', '.000', '.999'))}Z"

    def _integer(self, schema: dict) -> int | float:
        least, most = schema.get("minimum", -LARGEST), schema.get("maximum", LARGEST)
        few, some = self._chance.randint(least, min(most, least + 9)), self._chance.randint(least, most)
        drawn = self._chance.choice((least, few, some, most))
        return drawn if self._chance.random() < 0.8 else float(drawn)  # 1.0 is an integer in JSON

    def _list(self, schema: dict) -> list:
        least = schema.get("minItems", 0)
        count = self._size(least, max(least, min(schema.get("maxItems", MANY), MANY)))
        drawn = [self.value(schema["items"]) for _ in range(count)]
        if drawn and self._chance.random() < 0.2:
            drawn[-1] = drawn[0]  # nobody said that they differ
        return drawn

    def _object(self, schema: dict) -> dict:
        likely, required = self._likely(), schema.get("required", ())
        told = {
            name: self.value(each)
            for name, each in schema.get("properties", {}).items()
            if name in required or self._chance.random() < likely
        }
        more = schema.get("additionalProperties", True)
        if more is False:
            return told
        count = self._size(0, min(schema.get("maxProperties", MANY), MANY) - len(told))
        draw = self._anything if more is True else lambda: self.value(more)
        return told | {self._name(): draw() for _ in range(count)}

    def _name(self) -> str:
        return self._chance.choice((*STUMBLES, *self._models)) + self._chance.choice(("", "", "x"))

    def _anything(self, depth: int = 0) -> object:
        """Return any JSON."""
        chance = self._chance
        match chance.randrange(4 if depth == DEEPEST else 6):
            case 0:
                return chance.choice((None, True, False))
            case 1:
                return chance.choice(NUMBERS)
            case 2 | 3:
                return chance.choice(STUMBLES)
            case 4:
                return [self._anything(depth + 1) for _ in range(chance.randrange(4))]
        return {self._name(): self._anything(depth + 1) for _ in range(chance.randrange(4))}

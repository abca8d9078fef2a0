"""A document of a codec is kept without reading it back: the codec refuses what that would find."""

import copy
import math
from dataclasses import dataclass, field
from enum import Enum, IntEnum, StrEnum
from typing import Annotated, ClassVar
from uuid import UUID

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as some

from shared.domain.documents import to_document
from shared.domain.errors import InvalidInput
from shared.domain.ids import TenantId
from shared.domain.stored import UNSTORED, Plain, Stored
from shared.ports.document_limits import encode


class Word(StrEnum):
    """An enum that is a text."""

    ONE = "one"


class Number(IntEnum):
    """An enum that is a number."""

    ONE = 1


class Thing(Enum):
    """An enum that is neither, whose value JSON would take."""

    ONE = "one"


@dataclass(frozen=True, slots=True)
class Within:
    """A record in another."""

    text: str
    number: int


@dataclass(frozen=True, slots=True)
class Beside:
    """A record whose fields stand among those of what holds it."""

    title: str


@dataclass(frozen=True, slots=True)
class Kept:
    """A document of every way in which a value is written as it is."""

    schema_version: ClassVar[int] = 1
    INDEXED: ClassVar[tuple[str, ...]] = ("found_by",)

    text: str
    number: int
    flag: bool
    perhaps: str | None
    many: tuple[str, ...]
    either: Within | None
    flat: Annotated[Beside, Stored(flat=True)]
    rows: Annotated[tuple[Within, ...], Stored(rows=True)]
    seldom: Annotated[int, Stored(omitted=True)] = 0
    found_by: Annotated[object, UNSTORED] = field(default=None)

    def indexed(self):
        """Return what only an index reads."""
        return {"found_by": self.found_by}


SIMPLE = some.none() | some.booleans() | some.integers(-(2**60), 2**60) | some.text(max_size=4)
TYPED = some.sampled_from([TenantId("tnt_a"), Word.ONE, Number.ONE, "\udfff", 2**53, 2**64])
WRONG = some.floats() | some.sampled_from(
    [(), (1,), Thing.ONE, UUID(int=1), orjson.Fragment(b"1"), b"x", [math.nan], {"a": (1,)}, {1: 2}, {1}]
)
VALUES = SIMPLE | TYPED | WRONG
RECORDS = some.builds(
    Kept,
    text=VALUES,
    number=VALUES,
    flag=VALUES,
    perhaps=VALUES,
    many=some.lists(VALUES, max_size=2),
    either=some.none() | some.builds(Within, VALUES, VALUES),
    flat=some.builds(Beside, VALUES),
    rows=some.lists(some.builds(Within, VALUES, VALUES), max_size=2),
    seldom=VALUES,
    found_by=VALUES,
)
WELL = some.builds(
    Kept,
    text=SIMPLE,
    number=TYPED,
    flag=SIMPLE,
    perhaps=SIMPLE,
    many=some.lists(TYPED, max_size=2),
    either=some.builds(Within, SIMPLE, TYPED),
    flat=some.builds(Beside, SIMPLE),
    rows=some.lists(some.builds(Within, SIMPLE, SIMPLE), max_size=2),
    seldom=SIMPLE,
    found_by=SIMPLE,
)


@given(RECORDS | WELL)
def test_what_a_codec_wrote_is_kept_as_what_is_read_back_first(record):
    try:
        document = to_document(record)
    except InvalidInput:
        return
    assert type(document) is Plain
    assert _outcome(document) == _outcome(dict(document))


def _outcome(document):
    try:
        return encode(document)
    except InvalidInput as refusal:
        return str(refusal)


@given(WELL)
def test_a_codec_refuses_nothing_that_json_has(record):
    assert to_document(record)["text"] == record.text


@pytest.mark.parametrize("wrong", [math.nan, (1,), [1], Thing.ONE, UUID(int=1), orjson.Fragment(b"1"), 1.5])
@pytest.mark.parametrize("where", ["text", "number", "flag", "perhaps", "seldom", "found_by"])
def test_a_codec_refuses_what_would_be_read_back_as_something_else(where, wrong):
    right = {"text": "", "number": 0, "flag": False, "perhaps": None, "many": (), "either": None, "rows": ()}
    values = {**right, "flat": Beside(""), where: wrong}
    with pytest.raises(InvalidInput, match=f"a {type(wrong).__name__}"):
        to_document(Kept(**values))


def test_a_refusal_says_which_field_it_is_about():
    with pytest.raises(InvalidInput, match=r"^either\.number: a tuple\. "):
        to_document(Kept("", 0, False, None, (), Within("", (1,)), Beside(""), ()))


def test_an_id_and_an_enum_are_written_as_the_values_they_are():
    document = to_document(
        Kept(TenantId("tnt_a"), Number.ONE, True, Word.ONE, (TenantId("tnt_b"),), None, Beside(""), ())
    )
    written = [document["text"], document["number"], document["perhaps"], *document["many"]]
    assert [(type(each), each) for each in written] == [
        (str, "tnt_a"),
        (int, 1),
        (str, "one"),
        (str, "tnt_b"),
    ]


def test_what_is_made_of_a_document_is_looked_at_again():
    document = to_document(Kept("", 0, False, None, (), None, Beside(""), ()))
    for made in ({**document}, document | {"more": (1,)}, document.copy(), dict(document)):
        assert type(made) is dict
    assert type(copy.deepcopy(document)) is Plain


def test_a_document_with_what_a_newer_release_wrote_is_looked_at_whole():
    @dataclass(frozen=True, slots=True)
    class Older:
        schema_version: ClassVar[int] = 1
        text: str
        strays: Annotated[dict | None, UNSTORED] = None

    assert type(to_document(Older("", {"newer": (1,)}))) is dict

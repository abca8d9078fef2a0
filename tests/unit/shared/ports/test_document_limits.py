"""What a document may hold: anything JSON carries unharmed, in one spelling."""

import math

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as some

from shared.domain.errors import InvalidInput
from shared.domain.ids import TenantId
from shared.ports.document_limits import MOST_LEVELS, encode

TEXT = some.text(some.characters(codec="utf-8"), max_size=20)
LEAVES = some.none() | some.booleans() | some.integers(-(2**53) + 1, 2**53 - 1) | TEXT
NUMBERS = some.floats(allow_nan=False, allow_infinity=False)
VALUES = some.recursive(
    LEAVES | NUMBERS,
    lambda inner: some.lists(inner, max_size=4) | some.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)
DOCUMENTS = some.dictionaries(TEXT, VALUES, max_size=6)


@given(DOCUMENTS)
def test_what_json_carries_is_read_back_as_it_was(data):
    assert orjson.loads(encode(data)) == data


@given(DOCUMENTS)
def test_equal_documents_are_spelled_equally(data):
    assert encode(dict(reversed(data.items()))) == encode(data)


@given(
    DOCUMENTS,
    some.sampled_from([math.nan, math.inf, (1,), {1}, b"x", 2**53, -(2**53), object(), "\udfff", {2: 3}]),
)
def test_one_bad_value_spoils_a_document_wherever_it_is(data, bad):
    with pytest.raises(InvalidInput, match=r"^data\.bad\[0\]"):
        encode({**data, "bad": [bad]})


def test_an_id_is_stored_as_the_text_it_is():
    assert encode({"tenant": TenantId("tnt_a")}) == b'{"tenant":"tnt_a"}'


def test_a_document_that_holds_itself_is_refused():
    data = {}
    data["self"] = data
    with pytest.raises(InvalidInput, match="levels"):
        encode(data)


MANY = 30
BESIDE = [({}, 1), ([], 1), ("[]", 0), ("{}{}", 0), ("[[[", 0)]
BESIDE_MANY = [([[]] * MANY, 2), ([{}] * MANY, 2), (["{}"] * MANY, 1)]


@pytest.mark.parametrize(("beside", "levels"), [*BESIDE, *BESIDE_MANY])
def test_a_document_of_too_many_levels_is_refused_whatever_else_it_holds(beside, levels):
    def nested(most):
        data = {"beside": beside}
        for _ in range(most - levels - 1):
            data = {"beside": beside, "data": data}
        return data

    assert encode(nested(MOST_LEVELS))
    with pytest.raises(InvalidInput, match="levels"):
        encode(nested(MOST_LEVELS + 1))

"""One document, one spelling: the quick way and the exact way must never differ."""

import pytest
import rfc8785
from hypothesis import example, given
from hypothesis import strategies as st

from shared.events.canonical import canonical_json
from shared.events.errors import InvalidEvent

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=6),
    max_leaves=24,
)


@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=8), JSON, max_size=8))
@example({"\U0001f511": 1, "\ufb33": 2})
@example({"all": "".join(map(chr, range(0x100))), "line": "\u2028\u2029", "key": "\U0001f511"})
@example({"most": 2**53 - 1, "least": -(2**53) + 1, "zero": -0.0, "huge": 1e21, "tiny": 1e-7})
def test_canonical_json_is_what_rfc_8785_writes(document):
    assert canonical_json(document) == rfc8785.dumps(document)


@pytest.mark.parametrize("value", ["\ud800", 2**53, -(2**53), float("nan")])
def test_canonical_json_refuses_what_has_no_canonical_form(value):
    with pytest.raises(InvalidEvent, match="no canonical form"):
        canonical_json({"value": [value]})

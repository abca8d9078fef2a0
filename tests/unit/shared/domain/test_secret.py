"""A secret shows itself only to whoever asks for it by name."""

import copy
import json
import logging
import pickle
import traceback
from dataclasses import asdict, dataclass

import orjson
import pytest

from shared.domain.secret import REDACTED, Secret

PIN = "48213907"
SECRETS = [Secret(PIN), Secret(PIN.encode())]


@dataclass(frozen=True)
class Holder:
    pin: Secret[str]


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("show", [repr, str, "{}".format, "{:>40}".format, "{!r}".format, "%s".__mod__])
def test_secret_shows_nothing_in_any_rendering(secret, show):
    assert REDACTED in show(secret)
    assert PIN not in show(secret)


def test_secret_shows_nothing_inside_a_dataclass_a_log_line_or_a_traceback(caplog):
    holder = Holder(Secret(PIN))
    with caplog.at_level(logging.INFO):
        logging.getLogger("t").info("issued %s", holder)
    try:
        raise ValueError(holder)
    except ValueError:
        text = traceback.format_exc()

    assert REDACTED in caplog.text
    assert PIN not in caplog.text + text + repr(holder)


@pytest.mark.parametrize("leak", [pickle.dumps, copy.copy, copy.deepcopy, json.dumps, orjson.dumps])
@pytest.mark.parametrize("secret", SECRETS)
def test_secret_refuses_to_be_copied_or_serialised(secret, leak):
    with pytest.raises(TypeError) as refusal:
        leak(secret)

    assert PIN not in str(refusal.value)


def test_secret_refuses_to_leave_through_asdict():
    with pytest.raises(TypeError, match="neither copied nor pickled"):
        asdict(Holder(Secret(PIN)))


def test_secret_has_no_attributes_to_walk():
    assert not hasattr(Secret(PIN), "__dict__")


@pytest.mark.parametrize("value", ["", PIN, b"\x00\xff", "۱۲۳۴"])
def test_secret_reveals_what_was_put_in(value):
    assert Secret(value).reveal() == value


def test_secret_equality_follows_value_and_type():
    assert Secret(PIN) == Secret(PIN)
    assert Secret("a") != Secret("b")
    assert Secret("a") != Secret(b"a")
    assert Secret("a") != "a"


def test_secret_of_no_valid_text_compares_without_an_error_that_would_show_it():
    assert Secret(f"{PIN}\ud800") != Secret(PIN)
    assert Secret(f"{PIN}\ud800") == Secret(f"{PIN}\ud800")


@pytest.mark.parametrize("change", [lambda s: setattr(s, "_value", "x"), lambda s: delattr(s, "_value")])
def test_secret_does_not_change(change):
    secret = Secret(PIN)

    with pytest.raises(AttributeError, match="does not change"):
        change(secret)
    assert secret.reveal() == PIN


def test_secret_has_no_hash():
    with pytest.raises(TypeError, match="unhashable"):
        hash(Secret(PIN))

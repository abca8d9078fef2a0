"""Notes are written and read as the specification has them, and nothing else is."""

import pytest

from shared.audit.errors import Malformed, Untrusted
from shared.audit.notes import MOST_SIGNATURES, Note, Signature, VerifierKey, require_signed
from tests.support.notaries import check, every_flip, log, witness

PUBLISHED_KEY = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"
PUBLISHED_NOTE = """\
This is an example message.

— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=
"""
POEM = """\
Ognuno sta solo sul cuor della terra
trafitto da un raggio di sole:

ed è subito sera.

— quasimodo.example/salvatore \
NnugSzTjtVAewIS+Z/iJhUPeFDkO/5QQ2i5ddnGITLlC+EhfLW9oJKONrMouFSQU0xMcXxj99ihAQwaqP3ZekRwNtIc=
"""
LOG, OTHER = log("audit.example/cell/tnt_1"), log("audit.example/cell/tnt_2")
NOTE = LOG.note("first line\n\nsecond\n")


def test_the_published_note_is_signed_by_the_published_key():
    key = VerifierKey.parse(PUBLISHED_KEY)
    assert str(key) == PUBLISHED_KEY
    note = Note.parse(PUBLISHED_NOTE.encode())
    assert require_signed(note, [key], check) == key
    assert str(note) == PUBLISHED_NOTE


def test_a_text_may_hold_empty_lines():
    note = Note.parse(POEM.encode())
    assert note.text.count("\n") == 4
    assert str(note) == POEM
    assert [each.name for each in note.signatures] == ["quasimodo.example/salvatore"]


def test_a_note_comes_back_as_it_was_signed():
    assert Note.parse(str(NOTE).encode()) == NOTE
    assert require_signed(NOTE, [OTHER.key, LOG.key], check) == LOG.key


def test_no_bit_of_a_note_can_turn():
    for changed in every_flip(str(NOTE).encode()):
        with pytest.raises((Malformed, Untrusted)):
            require_signed(Note.parse(changed), [LOG.key], check)


def test_strangers_signatures_are_passed_over_even_under_a_known_name():
    namesake = log(LOG.name, seed="namesake")
    both = NOTE.signed_too(namesake.note(NOTE.text).signatures)
    assert require_signed(both, [LOG.key], check) == LOG.key
    with pytest.raises(Untrusted, match="no key"):
        require_signed(namesake.note(NOTE.text), [LOG.key], check)


def test_a_wrong_signature_under_a_known_key_condemns_the_note():
    forged = Signature(OTHER.name, OTHER.key.id, b"\x00" * 64)
    with pytest.raises(Untrusted, match="wrong"):
        require_signed(NOTE.signed_too([forged]), [LOG.key, OTHER.key], check)


def test_a_signature_of_another_text_is_wrong():
    moved = Note("another text\n", NOTE.signatures)
    with pytest.raises(Untrusted, match="wrong"):
        require_signed(moved, [LOG.key], check)


def test_sixteen_signatures_are_read_and_too_many_are_not():
    many = [Signature(f"stranger.example/{n}", b"abcd", b"x") for n in range(MOST_SIGNATURES)]
    assert require_signed(Note.parse(str(NOTE.signed_too(many[:16])).encode()), [LOG.key], check)
    with pytest.raises(Malformed, match="signatures"):
        Note.parse(str(NOTE.signed_too(many)).encode())


@pytest.mark.parametrize("name", ["", "a b", "a+b", "a\u00a0b", "a\nb", "a\u2003b", "a\x7fb"])
def test_a_name_fits_its_line(name):
    with pytest.raises(Malformed, match="key name"):
        VerifierKey(name, b"k" * 32)


@pytest.mark.parametrize(
    "vkey",
    [
        "",
        "example.com/foo",
        PUBLISHED_KEY[:-1],
        PUBLISHED_KEY.replace("530d903a", "530d903b"),
        PUBLISHED_KEY.replace("530d903a", "530D903A"),
        PUBLISHED_KEY.replace("example.com/foo", "example.com/bar"),
        "example.com/foo+530d903a+AukyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k",
        "example.com/foo+530d903a+",
    ],
)
def test_a_key_that_is_not_whole_is_refused(vkey):
    with pytest.raises(Malformed):
        VerifierKey.parse(vkey)


@pytest.mark.parametrize("size", [0, 31, 33])
def test_a_public_key_has_its_length(size):
    with pytest.raises(Malformed, match="public key"):
        VerifierKey("a.example", b"k" * size)


@pytest.mark.parametrize("text", [b"text\n", b"text\n\n"])
def test_a_note_without_signatures_is_none(text):
    with pytest.raises(Malformed, match="parts it from its signatures"):
        Note.parse(text)


def test_one_key_has_another_id_for_each_use():
    assert log("a.example").key.id != witness("a.example").key.id
    assert VerifierKey.parse(str(witness("a.example").key)) == witness("a.example").key


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\n",
        b"text\n",
        b"text\n\n",
        b"text\n\nno signature\n",
        "text\n\n— name AAAA\n".encode(),
        "text\n\n— a.example AB==\n".encode(),
        b"text\n\n- a.example AAAAAAAA\n",
        "text\n\n— a.example  AAAAAAAA\n".encode(),
        "text\n\n— a.example AAAAAAAA \n".encode(),
        "text\n\n— a.example AAAAAAAA".encode(),
        "text\r\n\n— a.example AAAAAAAA\n".encode(),
    ],
)
def test_what_is_no_note_is_refused(text):
    with pytest.raises(Malformed):
        Note.parse(text)

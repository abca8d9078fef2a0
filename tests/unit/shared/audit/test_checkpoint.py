"""Checkpoints and cosignatures are those of the specification."""

import pytest

from shared.audit.checkpoint import Checkpoint, cosigned_at, cosigned_message, cosigners
from shared.audit.errors import Malformed, Untrusted
from shared.audit.notes import Note, Signature, require_signed
from shared.audit.tree import EMPTY_ROOT
from tests.support.notaries import check, every_flip, log, witness

PUBLISHED = """\
example.com/behind-the-sofa
20852163
CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

— example.com/behind-the-sofa \
Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=
— witness.example.com/w1 \
jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==
"""
LOG, DESK, BUCKET = log("audit.example/cell"), witness("desk.example/1"), witness("bucket.example/1")
AT = Checkpoint("audit.example/cell", 7, b"r" * 32)
NOTE = DESK.cosigned(LOG.note(AT.text), 1679315147)


def test_the_published_checkpoint_is_read_and_written_to_the_byte():
    note = Note.parse(PUBLISHED.encode())
    at = Checkpoint.parse(note.text)
    assert (at.origin, at.size) == ("example.com/behind-the-sofa", 20852163)
    assert at.text == note.text
    assert str(note) == PUBLISHED
    assert int.from_bytes(note.signatures[1].signature[:8]) == 1679315147


def test_what_a_witness_signs_is_the_published_message():
    assert cosigned_message(Note.parse(PUBLISHED.encode()).text, 1679315147) == (
        b"cosignature/v1\ntime 1679315147\nexample.com/behind-the-sofa\n20852163\n"
        b"CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n"
    )


def test_a_cosigned_checkpoint_says_who_and_when():
    note = Note.parse(str(NOTE).encode())
    assert require_signed(note, [LOG.key], check) == LOG.key
    assert cosigners(note, [DESK.key, BUCKET.key], check) == {DESK.key: 1679315147}
    assert cosigned_at(DESK.cosigned(note, 1700000000), DESK.key, check) == 1700000000


def verify(text):
    note = Note.parse(text)
    require_signed(note, [LOG.key], check)
    if DESK.key not in cosigners(note, [DESK.key], check):
        raise Untrusted("the line is no longer the witness's")
    return Checkpoint.parse(note.text)


def test_no_bit_of_a_cosigned_checkpoint_can_turn():
    assert verify(str(NOTE).encode()) == AT
    for changed in every_flip(str(NOTE).encode()):
        with pytest.raises((Malformed, Untrusted)):
            verify(changed)


def test_a_logs_signature_is_no_cosignature():
    as_log = log(DESK.name)
    plain = Note(AT.text, (Signature(DESK.name, DESK.key.id, as_log.sign(AT.text.encode())),))
    with pytest.raises(Untrusted, match="cosignature"):
        cosigned_at(plain, DESK.key, check)
    with pytest.raises(Malformed):
        as_log.cosigned(NOTE, 1)


def test_lines_of_others_are_passed_over():
    assert Checkpoint.parse(AT.text + "an extension\n") == AT


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a.example\n7\n",
        "a.example\n07\n" + "A" * 43 + "=\n",
        "a.example\n7\n" + "A" * 44 + "\n",
        "a.example\n\n7\n" + "A" * 43 + "=\n",
        "a example\n7\n" + "A" * 43 + "=\n",
        "a.example\n7\n" + "A" * 43 + "=\n\n",
        "a.example\n0\n" + "A" * 43 + "=\n",
    ],
)
def test_what_is_no_checkpoint_is_refused(text):
    with pytest.raises(Malformed):
        Checkpoint.parse(text)


@pytest.mark.parametrize("size", [-1, 1 << 63])
def test_a_size_that_no_log_has_is_refused(size):
    with pytest.raises(Malformed, match="size"):
        Checkpoint("a.example", size, b"r" * 32)


def test_the_empty_log_has_a_checkpoint():
    empty = Checkpoint("a.example", 0, EMPTY_ROOT)
    assert Checkpoint.parse(empty.text) == empty

"""A proof in a file is C2SP's tlog-proof, to the byte."""

import pytest

from shared.audit.checkpoint import Checkpoint
from shared.audit.errors import AuditError, Malformed, NotProven
from shared.audit.notes import require_signed
from shared.audit.proofs import inclusion_path
from shared.audit.tlog_proof import LogProof
from tests.support import naive
from tests.support.notaries import check, every_flip, log

LOG = log("audit.example/cell/tnt_1")
ENTRIES = [b"entry %d" % n for n in range(11)]
NOTE = LOG.note(Checkpoint(LOG.name, 11, naive.root(ENTRIES)).text)
PROOF = LogProof(
    4, inclusion_path(4, 11, lambda level, n: naive.root(ENTRIES[n << level : n + 1 << level])), NOTE
)


def test_a_proof_is_written_line_by_line():
    lines = str(PROOF).split("\n")
    assert lines[:2] == ["c2sp.org/tlog-proof@v1", "index 4"]
    assert lines[2 + len(PROOF.path)] == ""
    assert str(PROOF).endswith(str(NOTE))


@pytest.mark.parametrize("proof", [PROOF, LogProof(0, (), LOG.note("a\n"), b"extra bytes")])
def test_a_proof_comes_back_as_it_was(proof):
    assert LogProof.parse(str(proof).encode()) == proof


def test_a_proof_holds_for_its_entry_alone():
    PROOF.require(ENTRIES[4])
    with pytest.raises(NotProven):
        PROOF.require(ENTRIES[5])


def verify(text):
    proof = LogProof.parse(text)
    require_signed(proof.note, [LOG.key], check)
    proof.require(ENTRIES[4])


def test_no_bit_of_a_proof_can_turn():
    verify(str(PROOF).encode())
    for changed in every_flip(str(PROOF).encode()):
        with pytest.raises(AuditError):
            verify(changed)


@pytest.mark.parametrize(
    ("was", "becomes"),
    [
        ("c2sp.org/tlog-proof@v1", "c2sp.org/tlog-proof@v2"),
        ("index 4", "index 04"),
        ("index 4", "index +4"),
        ("index 4\n", ""),
        ("index 4", "extra AB==\nindex 4"),
        ("index 4", "extra \nindex 4"),
    ],
)
def test_what_is_written_otherwise_is_refused(was, becomes):
    with pytest.raises(Malformed):
        LogProof.parse(str(PROOF).replace(was, becomes).encode())


def test_a_proof_longer_than_any_log_needs_is_refused():
    with pytest.raises(Malformed):
        LogProof.parse(str(LogProof(4, (b"h" * 32,) * 64, NOTE)).encode())

"""A witness answers as C2SP's tlog-witness does, and cosigns one history alone."""

import pytest

from shared.audit.checkpoint import Checkpoint, cosigned_at
from shared.audit.errors import Malformed, Untrusted
from shared.audit.notes import Note, Signature
from shared.audit.proofs import consistency_path
from shared.audit.witness import SIZE_TYPE, Request, judge
from tests.support import naive
from tests.support.notaries import check, every_flip, log, witness

LOG, STRANGER, DESK = log("audit.example/cell"), log("stranger.example"), witness("desk.example/1")
ENTRIES = [b"entry %d" % n for n in range(20)]
FORK = [b"another", *ENTRIES[1:]]


def at(size, entries=ENTRIES):
    return Checkpoint(LOG.name, size, naive.root(entries[:size]))


def request(old, new, entries=ENTRIES, note=None):
    """Return what a log sends."""
    path = ()
    if old:
        path = consistency_path(old, new, lambda level, n: naive.root(entries[n << level : n + 1 << level]))
    return Request(old, path, note or LOG.note(at(new, entries).text))


def judged(asked, last=None):
    keys = {LOG.name: [LOG.key]}
    return judge(str(asked).encode(), lambda origin: keys.get(origin, []), lambda _: last, check)


@pytest.mark.parametrize(("old", "new"), [(0, 0), (0, 7), (7, 7), (7, 20), (8, 9)])
def test_what_continues_is_cosigned_after_it_was_kept(old, new):
    verdict = judged(request(old, new), at(old))
    assert (verdict.status, verdict.keep) == (200, at(new))
    line = verdict.cosigned(DESK.key, DESK.sign, 1_700_000_000)
    note = Note(at(new).text, (Signature.parse(line.removesuffix("\n")),))
    assert cosigned_at(note, DESK.key, check) == 1_700_000_000


def test_a_log_seen_for_the_first_time_begins_at_zero():
    assert judged(request(0, 7)).status == 200
    assert judged(request(3, 7)).status == 409


def test_another_old_size_than_remembered_is_told():
    verdict = judged(request(7, 20), at(9))
    assert (verdict.status, verdict.body, verdict.content_type) == (409, "9\n", SIZE_TYPE)
    assert verdict.keep is None


@pytest.mark.parametrize("last", [at(7), at(20)])
def test_another_history_is_not_cosigned(last):
    verdict = judged(request(last.size, 20, FORK), last)
    assert (verdict.status, verdict.keep) == (422, None)
    with pytest.raises(Untrusted):
        verdict.cosigned(DESK.key, DESK.sign, 1)


def test_a_proof_where_none_is_needed_is_refused():
    asked = Request(0, (b"h" * 32,), LOG.note(at(7).text))
    assert judged(asked).status == 422


def test_an_empty_log_with_a_root_is_refused():
    text = at(7).text.replace("\n7\n", "\n0\n")
    assert judged(Request(0, (), LOG.note(text))).status == 422


def test_an_old_size_above_the_new_is_refused():
    assert judged(Request(9, (), LOG.note(at(7).text)), at(9)).status == 400


def test_a_log_nobody_knows_is_not_found():
    text = at(7).text.replace(LOG.name, STRANGER.name)
    assert judged(Request(0, (), STRANGER.note(text))).status == 404


@pytest.mark.parametrize(
    "signatures",
    [
        STRANGER.note(at(7).text).signatures,
        (Signature(LOG.name, LOG.key.id, b"\x00" * 64),),
        (*LOG.note(at(7).text).signatures, Signature(LOG.name, LOG.key.id, b"\x00" * 64)),
    ],
)
def test_a_checkpoint_without_its_logs_signature_is_forbidden(signatures):
    assert judged(Request(0, (), Note(at(7).text, signatures))).status == 403


@pytest.mark.parametrize("text", ["", "old 0\n", "new 0\n\n\n", "old 00\n\n" + str(LOG.note(at(7).text))])
def test_what_is_no_request_is_refused(text):
    assert judged(text).status == 400


def test_no_bit_of_a_request_can_turn():
    asked = str(request(7, 20)).encode()
    keys = {LOG.name: [LOG.key]}
    for changed in every_flip(asked):
        assert judge(changed, lambda origin: keys.get(origin, []), lambda _: at(7), check).status != 200


def test_a_request_is_written_as_published():
    lines = str(request(7, 20)).split("\n")
    assert lines[0] == "old 7"
    assert Request.parse(str(request(7, 20)).encode()) == request(7, 20)
    with pytest.raises(Malformed):
        Request.parse(str(Request(7, (b"h" * 32,) * 64, LOG.note("a\n"))).encode())

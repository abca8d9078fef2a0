"""Packs hold what they were asked to hold, and each entry's proof can be taken out for strangers' tools."""

import json

import pytest

from shared.audit.errors import Malformed
from shared.audit.notes import VerifierKey, require_signed
from shared.audit.pack import Contents, Files, Span, Streams, pack_of, proof_of
from shared.audit.succession import LogKey, LogKeys
from shared.audit.text import parsed
from shared.audit.tlog_proof import LogProof
from shared.audit.trust import Trust
from tests.support.audit_pack import BUCKET, CELL, DESK, LOG, three_days
from tests.support.notaries import check, log

BOOK = three_days()


def lines(pack):
    return [parsed(line) for line in pack.splitlines()]


def test_a_pack_is_lines_of_canonical_json_in_order():
    told = lines(BOOK.whole())
    assert [line["kind"] for line in told] == ["pack", *["anchor"] * 3, *["entry"] * 9, "seal"]
    assert told[0]["scope"] == {"first": 0, "end": 9}
    assert [told[0]["anchors"], told[0]["entries"]] == [3, 9]


def test_a_pack_of_streams_names_where_each_ends():
    assert lines(BOOK.of_streams(key_a=2))[0]["scope"] == {"streams": {"key_a": 2}}
    assert Streams({"key_a": 2}).told() != Span(0, 2).told()


def test_a_pack_without_an_anchor_is_refused():
    files = Files(BOOK.tenant.files.__getitem__, BOOK.cell.files.__getitem__)
    with pytest.raises(Malformed, match="anchors"):
        list(pack_of(Contents(Span(0, 0), [], {}, "2026-11-19T08:00:00Z"), files, LOG.note))


def test_a_body_is_in_a_pack_with_its_salt_or_not_at_all():
    told = [line for line in lines(BOOK.whole()) if line["kind"] == "entry"]
    assert {"body", "salt"} <= set(told[0])
    assert not {"body", "salt"} & set(told[-1])
    assert json.loads(told[0]["body"])["data"]["reservationId"] == "rsv_of_key_a"


def test_the_proof_of_each_entry_is_one_that_strangers_read():
    for index, entry in enumerate(BOOK.tenant.kept):
        text = str(proof_of(index, BOOK.anchors[-1], BOOK.tenant.files.__getitem__))
        proof = LogProof.parse(text.encode())
        assert require_signed(proof.note, [LOG.key], check) == LOG.key
        proof.require(entry.header)


def test_the_seal_can_be_taken_for_no_checkpoint():
    seal = lines(BOOK.whole())[-1]["note"]
    from shared.audit.checkpoint import Checkpoint

    with pytest.raises(Malformed):
        Checkpoint.parse(seal.split("\n\n")[0] + "\n")


def test_trust_is_written_as_a_policy():
    keys = LogKeys((LogKey(LOG.key),)).replaced(9, log(LOG.name, seed="new").key)
    text = str(Trust([LogKeys((LogKey(CELL.key),)), keys], [DESK.key, BUCKET.key], 1))
    words = [line.split()[0] for line in text.splitlines()]
    assert words == ["log", "#until", "log", "log", "witness", "witness", "group", "quorum"]
    assert VerifierKey.parse(text.splitlines()[4].split()[2]) == DESK.key
    assert str(Trust([keys])).endswith("quorum none\n")


@pytest.mark.parametrize("trust", [([DESK.key], 2), ([DESK.key], -1), ([LOG.key], 1)])
def test_a_trust_that_nobody_could_meet_is_refused(trust):
    with pytest.raises(Malformed):
        Trust([LogKeys((LogKey(LOG.key),))], *trust)

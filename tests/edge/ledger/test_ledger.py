"""A desk's ledger: encrypted or not at all, each step in one commit, nothing acknowledged is ever lost."""

import asyncio
import sqlite3
import subprocess
import sys
from dataclasses import replace

import pytest
import sqlcipher3

from edge_agent.ledger import file
from edge_agent.ledger.chain import LocalFact, check
from edge_agent.ledger.errors import (
    ChainBroken,
    LedgerBusy,
    LedgerSealed,
    LedgerUnencrypted,
    StaleKey,
    UnknownWork,
)
from edge_agent.ledger.ledger import DeskLedger, LedgerThread
from infra.local.ambient import SystemEntropy
from shared.domain.commands import Fail, Revoke
from shared.domain.kinds import FailureReason, RevokeReason
from shared.domain.secret import Secret
from shared.offline.chain import GENESIS
from tests.architecture.tree import ROOT
from tests.edge.ledger.desk_keys import KEY, NOW, REFERENCE, active, issued, opened, pending


@pytest.fixture
def path(tmp_path):
    """Where the ledger lies."""
    return tmp_path / "desk.db"


@pytest.fixture
def ledger(path):
    """An open ledger."""
    ledger = opened(path)
    yield ledger
    ledger.close()


def issue(ledger, number):
    """Issue a key, whole."""
    key = pending(number)
    assert ledger.begin(key.core.claim, key, NOW) is None
    return ledger.finish(key.core.claim, active(key), issued(key))


def test_nothing_of_it_can_be_read_on_disk(ledger, path):
    issue(ledger, 1)

    for companion in path.parent.iterdir():
        content = companion.read_bytes()
        assert REFERENCE not in content
        assert b"prov_keycred" not in content
        assert b"SQLite format" not in content
    assert path.stat().st_mode & 0o077 == 0


def test_other_key_does_not_open_it(path):
    opened(path).close()

    with pytest.raises(LedgerSealed):
        opened(path, Secret(bytes(32)))
    with pytest.raises(LedgerSealed):
        opened(path, Secret(b"short"))
    opened(path).close()


def test_plain_file_is_refused_and_left_as_it_is(path):
    with sqlite3.connect(path) as plain:
        plain.execute("CREATE TABLE keys (id)")
    plain.close()
    before = path.read_bytes()

    with pytest.raises(LedgerUnencrypted):
        opened(path)
    assert path.read_bytes() == before


def test_library_that_ignores_the_key_is_refused_before_it_writes(path, monkeypatch):
    monkeypatch.setattr(file.sqlcipher3, "connect", sqlite3.connect)

    with pytest.raises(LedgerUnencrypted):
        opened(path)
    assert path.read_bytes() == b""


def test_second_agent_is_refused(ledger, path):
    with pytest.raises(LedgerBusy):
        opened(path)


def test_key_is_there_before_its_card_and_its_row_comes_with_its_end(ledger):
    key = pending(1)
    ledger.begin(key.core.claim, key, NOW)
    assert [work.key for work in ledger.left()] == [key]
    assert ledger.unsent() == []

    assert ledger.finish(key.core.claim, active(key), issued(key)) == 1

    assert ledger.left() == []
    assert ledger.key(key.id) == active(key)
    (row,) = ledger.unsent()
    assert (row.sequence, row.key_id, row.secret.reveal()) == (1, key.id, REFERENCE)
    assert REFERENCE.decode() not in repr(row)


def test_claim_is_begun_once_and_tells_what_became_of_it(ledger):
    key, other = pending(1), replace(pending(2), core=replace(pending(2).core, claim=pending(1).core.claim))
    ledger.begin(key.core.claim, key, NOW)

    assert ledger.begin(key.core.claim, other, NOW).step == "begun"
    ledger.finish(key.core.claim, active(key), issued(key))
    known = ledger.begin(key.core.claim, other, NOW)

    assert (known.step, known.key) == ("done", active(key))
    assert ledger.key(other.id) is None


def test_work_ends_once(ledger):
    key = pending(1)
    with pytest.raises(UnknownWork):
        ledger.finish(key.core.claim, active(key), issued(key))
    ledger.begin(key.core.claim, key, NOW)
    with pytest.raises(UnknownWork):
        ledger.finish(key.core.claim, active(pending(2)), issued(key))
    failed = key.apply(Fail(at=NOW, reason=FailureReason.CARD_ENCODER_OFFLINE))[0]
    ledger.finish(key.core.claim, failed, issued(key))

    with pytest.raises(UnknownWork):
        ledger.finish(key.core.claim, active(key), issued(key))
    assert ledger.begin(key.core.claim, key, NOW).step == "failed"
    assert len(ledger.unsent()) == 1


def test_change_of_a_key_that_was_changed_meanwhile_is_refused_whole(ledger):
    issue(ledger, 1)
    key = ledger.key(pending(1).id)
    revoked = key.apply(Revoke(at=NOW, reason=RevokeReason.LOST))[0]
    ledger.change(revoked, key.version, issued(key))

    with pytest.raises(StaleKey):
        ledger.change(revoked, key.version, issued(key))
    assert [row.sequence for row in ledger.unsent()] == [1, 2]


def test_rows_are_sent_in_order_and_marked(ledger):
    for number in range(1, 6):
        issue(ledger, number)

    assert [row.sequence for row in ledger.unsent(2)] == [1, 2]
    ledger.sent(3)
    assert [row.sequence for row in ledger.unsent()] == [4, 5]


def test_reference_is_wiped_once_the_cloud_has_it_and_the_chain_still_holds(ledger, path):
    issue(ledger, 1)
    issue(ledger, 2)
    local = pending(1).id
    head = ledger.verify()
    ledger.confirmed(local, "key_1")
    assert all(row.secret for row in ledger.unsent())

    ledger.sent(2)
    ledger.confirmed(local, "key_1")

    rows = ledger._rows(
        "SELECT sequence, at, subject, key_id, body, salt, secret, commitment, hash, sent FROM outbox"
    )
    assert [row.secret is None for row in rows] == [True, False]
    assert ledger.server_id(local) == "key_1"
    assert ledger.server_id(pending(2).id) is None
    assert ledger.verify() == head


@pytest.mark.parametrize(
    ("tamper", "shows_at"),
    [
        ("UPDATE outbox SET body = x'00' WHERE sequence = 2", 2),
        ("UPDATE outbox SET subject = 'x' WHERE sequence = 1", 1),
        ("UPDATE outbox SET at = 'x' WHERE sequence = 3", 3),
        ("UPDATE outbox SET secret = x'00' WHERE sequence = 2", 2),
        ("DELETE FROM outbox WHERE sequence = 2", 2),
        ("DELETE FROM outbox WHERE sequence = 1", 1),
    ],
)
def test_row_that_is_altered_or_removed_shows(ledger, tamper, shows_at):
    for number in range(1, 4):
        issue(ledger, number)
    ledger._db.execute(tamper)

    with pytest.raises(ChainBroken) as broken:
        ledger.verify()
    assert broken.value.sequence == shows_at


def test_empty_chain_begins_at_nothing():
    assert check([]) == GENESIS


def test_fact_of_no_key_is_told_too(ledger):
    ledger.tell(LocalFact("melmastoon.lock.encoder_session.opened.v1", "", NOW, b"{}"))

    (row,) = ledger.unsent()
    assert (row.secret, row.salt) == (None, None)
    ledger.verify()


def test_failed_commit_leaves_nothing(ledger, monkeypatch):
    key = pending(1)
    ledger.begin(key.core.claim, key, NOW)
    monkeypatch.setattr(ledger, "_append", lambda fact: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        ledger.finish(key.core.claim, active(key), issued(key))

    assert [work.step for work in ledger.left()] == ["begun"]
    assert ledger.key(key.id) == key


def test_wiped_desk_is_paired_anew(ledger, path):
    issue(ledger, 1)
    ledger.wipe()

    assert list(path.parent.iterdir()) == []
    again = opened(path, Secret(bytes(32)))
    assert again.unsent() == []
    again.close()


@pytest.mark.parametrize("steps", [1, 2, 7, 12])
def test_killed_agent_loses_nothing_that_it_was_told_is_kept(path, steps):
    command = [sys.executable, "-m", "tests.edge.ledger.desk_keys", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as agent:
        said = [agent.stdout.readline().split() for _ in range(steps)]
        agent.kill()

    ledger = opened(path)
    rows, left = ledger.unsent(10_000), ledger.left()
    done = {int(number) for word, number in said if word == "done"}
    begun = {int(number) for word, number in said if word == "begun"}
    kept = {int(row.key_id[-26:]) for row in rows}
    assert done <= kept
    assert begun <= kept | {int(str(work.key.id)[-26:]) for work in left}
    assert len(left) <= 1
    assert [row.sequence for row in rows] == list(range(1, len(rows) + 1))
    ledger.verify()
    ledger.close()


async def test_ledger_on_its_thread_is_done_with_what_it_began(path):
    thread = LedgerThread(path, KEY, SystemEntropy())
    numbers = await asyncio.gather(*[thread.run(lambda ledger, n=n: issue(ledger, n)) for n in range(1, 9)])
    assert sorted(numbers) == list(range(1, 9))

    waiting = asyncio.create_task(thread.run(lambda ledger: issue(ledger, 9)))
    await asyncio.sleep(0)
    waiting.cancel()
    assert len(await thread.run(DeskLedger.unsent)) == 9
    await thread.close()


def test_library_encrypts():
    connection = sqlcipher3.connect(":memory:")
    assert connection.execute("PRAGMA cipher_version").fetchone()[0]
    connection.close()

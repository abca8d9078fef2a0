"""The hand-written key does what a fleet does at least: six kept steps, and one POST between them."""

import asyncio
import json
import urllib.request
from contextlib import closing

import pytest

from infra.bench.client import Caller
from infra.bench.figures import BenchError
from infra.bench.hand_written import SCHEMA, HandWritten, inline, together
from infra.bench.plain_sqlite import plain_sqlite
from infra.bench.processes import answering
from infra.local.server import free_port
from infra.local.storage.connection import connect


@pytest.fixture
def stub(tmp_path):
    port = free_port()
    with answering(["-m", "infra.bench.programs.vendor_stub", str(port)], port, tmp_path):
        yield port


@pytest.fixture
def database(tmp_path):
    with plain_sqlite(tmp_path / "raw.db") as opened:
        for statement in SCHEMA:
            opened.execute(statement)
        yield opened


def read(folder, query):
    with closing(connect(folder / "raw.db")) as connection:
        return connection.execute(query).fetchall()


def posted(port):
    return json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/"))["posted"]


async def test_each_step_is_kept_and_the_vendor_posted_once(database, stub, tmp_path):
    caller = await Caller().open(stub)
    await HandWritten(inline(database), stub).key(7, caller)
    caller.close()
    assert posted(stub) == 1
    assert read(tmp_path, "SELECT id, state, ref FROM keys") == [(7, "active", "200")]
    assert read(tmp_path, "SELECT step FROM steps ORDER BY step") == [("intent",), ("posted",)]
    assert read(tmp_path, "SELECT key, event FROM outbox") == [(7, "issued")]


async def test_keys_together_share_their_commits(database, stub, tmp_path):
    callers = [await Caller().open(stub) for _ in range(8)]
    commits = []
    commit = database.transaction
    database.transaction = lambda: commits.append(1) or commit()
    with together(database, asyncio.get_running_loop()) as keep:
        by_hand = HandWritten(keep, stub)
        await asyncio.gather(*(by_hand.key(number, caller) for number, caller in enumerate(callers)))
    for caller in callers:
        caller.close()
    assert read(tmp_path, "SELECT count(*) FROM keys WHERE state = 'active'") == [(8,)]
    assert posted(stub) == 8
    assert len(commits) < 6 * 8


class Refusing:
    async def call(self, _request):
        return 503


async def test_a_vendor_that_refuses_makes_no_key(database):
    with pytest.raises(BenchError, match="503"):
        await HandWritten(inline(database), 1).key(1, Refusing())

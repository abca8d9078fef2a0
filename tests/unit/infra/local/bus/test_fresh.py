"""What was just published is pushed from memory once, and what waits too long is let go."""

from infra.local.bus import fresh
from infra.local.bus.fresh import Fresh
from infra.local.bus.rows import Route, StoredMessage

MESSAGE = StoredMessage("topic", 0, "", b"{}")
ROUTES = (Route("one", ""), Route("another", ""))


def test_each_subscription_finds_it_once():
    kept = Fresh()
    kept.keep(MESSAGE, 7, ROUTES)
    assert [kept.take("one", 7), kept.take("one", 7), kept.take("another", 7)] == [MESSAGE, None, MESSAGE]
    assert kept.take("another", 8) is None


def test_a_long_backlog_costs_no_memory(monkeypatch):
    monkeypatch.setattr(fresh, "MOST_FRESH", 3)
    kept = Fresh()
    for identity in range(10):
        kept.keep(MESSAGE, identity, ROUTES)
    found = [(name, each) for each in range(10) for name in ("one", "another") if kept.take(name, each)]
    assert found == [("another", 8), ("one", 9), ("another", 9)]


def test_what_is_large_is_read_back():
    kept = Fresh()
    kept.keep(StoredMessage("topic", 0, "", bytes(fresh.LARGEST_FRESH)), 7, ROUTES[:1])
    kept.keep(StoredMessage("topic", 0, "", bytes(fresh.LARGEST_FRESH + 1)), 8, ROUTES[:1])
    assert kept.take("one", 7) is not None
    assert kept.take("one", 8) is None

"""What a vendor is told of a replacement: by which names it knows the key that is to open no more."""

import pytest

from shared.domain.kinds import SetRole
from shared.keywork.lock_key import ended_by, lock_key
from shared.ledger.grant_record import Wish
from tests.support.ledger_books import NOW


@pytest.mark.parametrize("wish", Wish)
async def test_a_replacement_names_what_it_replaces_once_that_is_to_be_gone(books, wish):
    lost, _ = books.requested()
    kept = books.kept(lost)
    await books.documents.commit([kept.wished(wish, NOW).write()])
    core = books.core(role=SetRole.REPLACEMENT, replaces=lost.id)
    named = await ended_by(core, books.documents)
    of_it = lock_key(kept, core.window, None, core)
    assert named == ({of_it.name, of_it.set_name} if wish is Wish.GONE else set())
    assert await ended_by(lost.credential.core, books.documents) == set()

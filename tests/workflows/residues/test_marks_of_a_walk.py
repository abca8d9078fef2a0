"""How far a walk from lock to lock came is kept once for some locks: one document is not written at each."""

from collections import Counter

from infra.local.documents.tenant import SqliteTenantDocuments
from tests.support.compared import booked, compare
from tests.support.sample_hotel import play

MARKS = ("comparisons", "hearings")


def written(monkeypatch):
    """Count the writes of marks."""
    commits, counts = SqliteTenantDocuments.commit, Counter()

    async def commit(self, writes):
        counts.update(write.ref.collection for write in writes if write.ref.collection in MARKS)
        return await commits(self, writes)

    monkeypatch.setattr(SqliteTenantDocuments, "commit", commit)
    return counts


def test_a_comparison_that_finds_nothing_is_written_where_it_begins_and_ends(tmp_path, monkeypatch):
    async def scenario(house):
        await booked(house, 2)
        await house.settled()
        counts = written(monkeypatch)
        await compare(house)
        (kept,) = (await house.documents("comparisons")).values()
        return counts["comparisons"], kept["compared"], kept["progress"]

    assert play(tmp_path, scenario) == (2, 5, "done")

"""A desk's jobs, when two releases run side by side."""

import json
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

from shared.ports.documents import Create, Ref
from shared.vendor_kit.desk_jobs import DeskJobs, JobState
from tests.unit.shared.vendor_kit.leasing import MemoryDocuments

RELEASED = Path(__file__).parents[1] / "ledger" / "released" / "desk_jobs.v1.json"
NOW = datetime(2026, 11, 20, 7, tzinfo=UTC)
CLOCK = SimpleNamespace(now=lambda: NOW)


async def test_a_job_that_goes_on_keeps_what_a_newer_release_wrote_and_leaves_the_list_once_it_is_over():
    documents = MemoryDocuments()
    jobs = DeskJobs(documents, CLOCK, "generic-wiegand", "ppt_kabul")
    ordered = json.loads(RELEASED.read_text())["ordered"] | {"of_tomorrow": {"a": 1}}
    ref = Ref("desk_jobs", ordered["id"])
    await documents.commit([Create(ref, ordered)])
    assert (await jobs.advance(ordered["id"], JobState.RECEIVED)).state is JobState.RECEIVED
    assert (await documents.get(ref)).data == ordered | {"state": "received"}
    await jobs.advance(ordered["id"], JobState.CANCELLED)
    kept = (await documents.get(ref)).data
    assert ("open_at" in kept, kept["of_tomorrow"]) == (False, {"a": 1})

"""strace's own count of what the engine says it synced."""

from infra.bench.measures.documents import calls_counted, write_a_number

TABLE = """% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ----------------
 93.10    0.000540         540       101           fdatasync
  6.90    0.000040          20         2         1 fsync
------ ----------- ----------- --------- --------- ----------------
100.00    0.000580           5       103         1 total
"""


def test_both_kinds_of_sync_are_counted():
    assert calls_counted(TABLE) == 103


async def test_writers_share_their_syncs(tmp_path):
    assert 0 < await write_a_number(tmp_path, 640) <= 0.2

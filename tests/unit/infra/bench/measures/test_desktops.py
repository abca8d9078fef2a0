"""Desktops that listen: each hears each thing once, and the measure notices if one does not."""

import pytest

from infra.bench.figures import BenchError, Effort, Ground
from infra.bench.measures import desktops
from infra.bench.programs.desktops import listen
from tests.support.simulated import play


def test_each_of_many_desktops_hears_each_thing_that_is_told_within_a_moment(tmp_path):
    async def scenario(on):
        told = await listen(on.fleet.platform, desktops=30, events=3)
        assert told["heard"] == 90
        assert told["heard_p95_ms"] < 5000  # no lost ring: the next look would come after five seconds

    play(tmp_path, scenario)


@pytest.mark.parametrize(
    ("returncode", "heard", "said"), [(1, 20_000, "did not listen"), (0, 19_999, "did not hear everything")]
)
def test_a_measure_of_desktops_that_missed_something_is_none(monkeypatch, tmp_path, returncode, heard, said):
    class Ran:
        stdout = f'{{"heard_p95_ms": 1.0, "held_kb_each": 1.0, "heard": {heard}}}'
        stderr = "why"

    Ran.returncode = returncode
    monkeypatch.setattr(desktops.subprocess, "run", lambda *_, **__: Ran)

    with pytest.raises(BenchError, match=said):
        desktops.take(Ground(tmp_path, Effort(), 0))

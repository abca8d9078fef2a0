"""The walk through the code that the architecture page tells is the way that a booking really takes."""

import asyncio
import re
import sys
from pathlib import Path

import pytest

from tests.support.sample_hotel import play

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "infra/docs/architecture.md").read_text(encoding="utf-8")
STEP = re.compile(r"^\d+\. `([\w/]+\.py)` `([\w.]+)`: ", re.MULTILINE)
MOST_FILES = {"booking": 25, "check-out": 22}


def _told(walk):
    (text,) = re.findall(rf"<!-- walk: {walk} -->\n(.*?)<!-- end -->", PAGE, re.DOTALL)
    return STEP.findall(text)


class _Walked:
    """The functions of ours that are called from now on, each the first time."""

    def __enter__(self):
        self.steps = {}
        sys.setprofile(self._called)
        return self

    def __exit__(self, *_):
        sys.setprofile(None)

    def _called(self, frame, event, _):
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(f"{ROOT}/"):
            self.steps.setdefault((code.co_filename[len(str(ROOT)) + 1 :], code.co_qualname))


@pytest.fixture(scope="module")
def walked(tmp_path_factory):
    async def scenario(house):
        with _Walked() as booking:
            await house.publish("evt_1")
            await asyncio.sleep(60)
        with _Walked() as leaving:
            await house.publish("evt_2", "checked_out", time="2026-03-05T07:00:00Z")
            await asyncio.sleep(600)
        return {"booking": list(booking.steps), "check-out": list(leaving.steps)}

    return play(tmp_path_factory.mktemp("walk"), scenario)


@pytest.mark.parametrize("walk", MOST_FILES)
def test_every_step_of_the_page_is_taken_in_its_order(walked, walk):
    told = _told(walk)
    assert len(told) > 10
    missing = [step for step in told if step not in walked[walk]]
    assert missing == []
    assert told == sorted(told, key=walked[walk].index)


@pytest.mark.parametrize(("walk", "most"), MOST_FILES.items())
def test_a_reader_follows_a_walk_through_few_files(walk, most):
    assert len({path for path, _ in _told(walk)}) <= most

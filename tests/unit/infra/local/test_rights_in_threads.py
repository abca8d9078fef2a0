"""Rights hold in threads too: a function's work keeps its name there, and work of nobody is refused."""

import asyncio
import threading

import pytest

from infra.local import roles
from shared.kernel.identity import Forbidden
from shared.runtime.platform import Deployed, deployed
from tests.support.simulated import play

SECRET = "lock-ttlock-tnt_silk-ppt_kabul-api"
OTHERS = Deployed("probe-start", "x")
ITS = Deployed("adapter-ttlock", "x", secrets=(SECRET,))


def _latest(secrets):
    return asyncio.run(secrets.latest(SECRET))


def _asked_in_a_thread(function, ask):
    """Let a function ask from an executor's thread, as a handler would."""

    async def scenario(on):
        secrets = on.fleet.platform.secrets
        token = deployed.set(function)
        try:
            with roles.CarryingExecutor(1) as executor:
                return executor.submit(ask, secrets).result()
        finally:
            deployed.reset(token)

    return scenario


def test_s8_a_function_may_no_more_in_a_thread_than_in_its_handler(tmp_path):
    with pytest.raises(Forbidden, match="names no such secret"):
        play(tmp_path, _asked_in_a_thread(OTHERS, _latest))


def test_s8_a_function_may_in_a_thread_what_it_may_in_its_handler(tmp_path):
    found = play(tmp_path, _asked_in_a_thread(ITS, _latest))
    assert found.version == 1


def test_s8_the_loops_own_executor_takes_the_function_along(tmp_path):
    async def scenario(_on):
        return asyncio.get_running_loop()._default_executor

    assert isinstance(play(tmp_path, scenario), roles.CarryingExecutor)


def test_s8_a_thread_that_works_for_nobody_is_refused(tmp_path):
    async def scenario(on):
        refused = []

        def ask():
            try:
                on.fleet.platform.documents.tenant("tnt_silk")
            except Forbidden as error:
                refused.append(error)

        thread = threading.Thread(target=ask)
        thread.start()
        thread.join()
        return refused

    (refused,) = play(tmp_path, scenario)
    assert "no known function" in str(refused)

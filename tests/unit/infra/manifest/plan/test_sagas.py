"""A saga waits for an adapter until it cannot act any more, and the ledger longer still."""

import pytest

from infra.codegen.fleet_plan import fleet_plan
from infra.manifest.load import ROOT
from infra.manifest.plan.sagas import faults

PLAN = fleet_plan()
SAGA = """
main:
  params: [saga]
  steps:
    - tries:
        parallel:
          for:
            value: each
            in: ${{saga.many}}
            steps:
              - attempt:
                  try:
                    call: http.post
                    args:
                      url: ${{fleet + "/" + saga.adapter}}
                      {timeout}
"""


@pytest.fixture
def tree(tmp_path):
    (tmp_path / "workflows").mkdir()
    return tmp_path


def said(tree, timeout):
    (tree / "workflows/work_on_key.yaml").write_text(SAGA.format(timeout=timeout))
    return list(faults(PLAN, tree))


def test_this_repository_s_sagas_wait_as_long_as_they_must():
    assert list(faults(PLAN, ROOT)) == []


def test_a_wait_between_the_adapter_s_time_and_the_ledger_s_passes(tree):
    assert said(tree, "timeout: 140") == []


@pytest.mark.parametrize("timeout", ["timeout: 120", "timeout: 130", "timeout: 150", "body: x"])
def test_a_wait_that_is_too_short_or_too_long_is_told_wherever_it_stands(tree, timeout):
    (fault,) = said(tree, timeout)
    assert fault.startswith("workflows/work_on_key.yaml: waits ")


def test_calls_of_other_functions_are_their_own_affair(tree):
    (tree / "workflows/work_on_key.yaml").write_text(
        SAGA.format(timeout="timeout: 5").replace("saga.adapter", '"x"')
    )
    assert list(faults(PLAN, tree)) == []

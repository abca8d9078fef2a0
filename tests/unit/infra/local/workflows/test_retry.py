"""try, retry and except."""

import pytest

from infra.local.workflows.outcomes import Done
from infra.local.workflows.program import load
from infra.local.workflows.runner import run_program

URL = "https://api.test/x"


def flow(
    retry,
    handler="",
    body="call: http.get\n      args: {url: 'https://api.test/x'}\n      result: r",
    after="${r.code}",
):
    return f"""
main:
  steps:
    - t:
        try:
          {body.replace(chr(10), chr(10) + "    ")}
        retry:{retry}
        {handler}
    - d:
        return: {after}
picky:
  params: [e]
  steps:
    - s:
        switch:
          - condition: ${{e.code == 418}}
            return: true
    - n:
        return: false
silent:
  params: [e]
  steps:
    - n:
        call: sys.log
        args: {{data: "${{e}}"}}
odd:
  params: [e]
  steps:
    - n:
        return: maybe
"""


async def run(source, *rows):
    stubs = [{"method": "GET", "url": URL, "responses": list(rows)}]
    return await run_program(load(source, "flow.yaml"), None, http_stubs=stubs, virtual_clock=True)


@pytest.mark.parametrize("status", [429, 502, 503, 504])
async def test_default_retry_repeats_these_codes(status):
    record = await run(flow(" ${http.default_retry}"), {"status": status}, {"status": 200})
    assert (record["result"], record["sleeps"]) == (200, [1])


@pytest.mark.parametrize("fault", ["connection_failed", "connection_broken", "timeout"])
async def test_default_retry_repeats_these_faults(fault):
    record = await run(flow(" ${http.default_retry}"), {"fault": fault}, {"status": 200})
    assert record["sleeps"] == [1]


@pytest.mark.parametrize("row", [{"status": 400}, {"status": 404}, {"status": 500}])
async def test_default_retry_leaves_other_codes_alone(row):
    record = await run(flow(" ${http.default_retry}"), row)
    assert (record["state"], len(record["calls"]), record["sleeps"]) == ("FAILED", 1, [])


@pytest.mark.parametrize(
    ("row", "calls"),
    [
        ({"status": 429}, 6),
        ({"status": 503}, 6),
        ({"fault": "connection_failed"}, 6),
        ({"status": 502}, 1),
        ({"status": 504}, 1),
        ({"fault": "timeout"}, 1),
        ({"fault": "connection_broken"}, 1),
    ],
)
async def test_non_idempotent_policy_repeats_only_what_cannot_have_arrived(row, calls):
    record = await run(flow(" ${http.default_retry_non_idempotent}"), row)
    assert len(record["calls"]) == calls


async def test_default_policy_makes_five_retries_with_growing_delays():
    record = await run(flow(" ${http.default_retry}"), {"status": 503})
    assert record["sleeps"] == [1, 1.25, 1.5625, 1.953125, 2.44140625]
    assert record["error"]["code"] == 503


@pytest.mark.parametrize(
    ("retry", "sleeps"),
    [
        (
            " {predicate: '${retry.always}', max_retries: 2, backoff: {initial_delay: 3, multiplier: 2}}",
            [3, 6],
        ),
        (
            " {predicate: '${retry.always}', max_retries: 3, backoff: {initial_delay: 3, max_delay: 4}}",
            [3, 3.75, 4],
        ),
        (
            " {predicate: '${retry.always}', max_retries: '${1 + 1}', backoff: '${retry.default_backoff}'}",
            [1, 1.25],
        ),
        (" {predicate: '${retry.never}', max_retries: 2}", []),
        (" {predicate: '${picky}', max_retries: 1, backoff: {initial_delay: 0.5}}", [0.5]),
        (" {predicate: '${picky}', max_retries: 0}", []),
        (" {predicate: '${silent}', max_retries: 2}", []),
    ],
)
async def test_custom_policy_is_followed(retry, sleeps):
    record = await run(flow(retry), {"status": 418})
    assert record["sleeps"] == sleeps


@pytest.mark.parametrize(
    ("retry", "tag"),
    [
        (" {predicate: '${odd}', max_retries: 1}", "TypeError"),
        (" {predicate: '${retry.always}', max_retries: many}", "TypeError"),
        (" {predicate: '${retry.always}', max_retries: -1}", "ValueError"),
        (" {predicate: '${retry.always}', max_retries: 1, backoff: {initial_delay: -1}}", "ValueError"),
        (" {predicate: '${retry.always}', max_retries: 1, backoff: {multiplier: fast}}", "TypeError"),
        (" ${[1]}", "TypeError"),
    ],
)
async def test_bad_policy_is_an_error_of_the_language(retry, tag):
    record = await run(flow(retry), {"status": 418})
    assert tag in record["error"]["tags"]


async def test_error_in_the_predicate_goes_to_except():
    handler = (
        "except:\n          as: e\n          steps:\n            - h:\n                return: ${e.tags}"
    )
    record = await run(flow(" {predicate: '${picky}', max_retries: 1}", handler), {"fault": "timeout"})
    assert record["result"] == ["KeyError", "LookupError"]


async def test_except_sees_the_last_error_and_variables_of_the_block():
    body = """steps:
        - one:
            assign: [n: 1]
        - two:
            call: http.get
            args: {url: 'https://api.test/x'}
            result: r"""
    handler = "except: {as: e, steps: [{h: {assign: [seen: '${[n, e.code]}']}}, {i: {return: '${seen}'}}]}"
    record = await run(flow(" ${http.default_retry}", handler, body), {"status": 503}, {"status": 404})
    assert record["result"] == [1, 404]


def test_retry_counts_each_attempt_as_a_step(machine):
    built = machine("""
        - t:
            try:
              raise: {code: 503}
            retry: {predicate: "${retry.always}", max_retries: 2, backoff: {initial_delay: 0}}
    """)
    operations = built.start()
    while operations:
        operations = built.resume(operations[0].id, Done(None))
    assert built.usage.steps == 3
    assert built.verdict.error == {"code": 503}


def test_except_may_be_a_single_action(verdict):
    ended = verdict(
        "- t:\n    try:\n      raise: inner\n    except:\n      as: e\n      raise: '${e + \" again\"}'\n"
    )
    assert ended.error == "inner again"


def test_nested_handlers_may_reuse_a_name(verdict):
    ended = verdict("""
        - t:
            try:
              raise: one
            except:
              as: e
              steps:
                - u:
                    try:
                      raise: two
                    except:
                      as: e
                      steps:
                        - v:
                            assign: [inner: "${e}"]
                - w:
                    return: ${e}
    """)
    assert ended.result == "one"


def test_jump_out_of_a_try_leaves_it(verdict):
    ended = verdict("""
        - t:
            try:
              steps:
                - a:
                    switch:
                      - condition: true
                        next: out
                - b:
                    raise: unreached
            except:
              as: e
              steps:
                - c:
                    return: wrong
        - skipped:
            return: wrong
        - out:
            return: right
    """)
    assert ended.result == "right"


@pytest.mark.parametrize("value", ["1", "[1]", "null"])
def test_raise_takes_strings_maps_and_booleans_only(verdict, value):
    ended = verdict(f"- r:\n    raise: '${{{value}}}'\n")
    assert "TypeError" in ended.error["tags"]


def test_uncaught_map_is_the_execution_error_as_it_was_raised(verdict):
    ended = verdict("- r:\n    raise: {code: 55, message: hi}\n")
    assert ended.error == {"code": 55, "message": "hi"}
    assert ended.context == 'hi\nin step "r", routine "main", line: 1'

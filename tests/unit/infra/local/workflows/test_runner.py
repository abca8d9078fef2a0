"""Running a file: stubs, clocks, real HTTP, and the command line."""

import json

import pytest
from aiohttp import web

from infra.local.workflows.__main__ import main
from infra.local.workflows.errors import WorkflowRefused
from infra.local.workflows.program import load
from infra.local.workflows.runner import refusal_record, run_file, run_program

CALL = """
main:
  params: [args]
  steps:
    - c:
        call: http.post
        args: {url: "${args.url}", body: {n: 1}, headers: {X-Key: k}, timeout: 5}
        result: r
    - s:
        call: sys.sleep
        args: {seconds: 0.01}
    - d:
        return: ["${r.code}", "${r.body}"]
"""
URL = "https://api.test/x"


@pytest.fixture
def flow(tmp_path):
    """A workflow file."""

    def write(source):
        path = tmp_path / "flow.yaml"
        path.write_text(source, encoding="utf-8")
        return path

    return write


def test_record_tells_state_result_calls_and_sleeps(flow):
    stubs = [{"method": "POST", "url": URL, "responses": [{"status": 201, "body": {"ok": 1.5}}]}]
    record = run_file(flow(CALL), {"url": URL}, http_stubs=stubs, virtual_clock=True)
    assert record == {
        "state": "SUCCEEDED",
        "result": [201, {"ok": 1.5}],
        "error": None,
        "calls": [
            {
                "method": "POST",
                "url": URL,
                "headers": {"X-Key": "k", "Content-Type": "application/json; charset=utf-8"},
                "content_type": "application/json; charset=utf-8",
                "body": {"n": 1},
                "timeout": 5,
                "auth": None,
            }
        ],
        "sleeps": [0.01],
    }


def test_stubs_serve_in_order_and_the_last_one_repeats(flow):
    source = """
- i:
    assign: [seen: []]
- f:
    for:
      value: v
      range: [1, 3]
      steps:
        - g:
            call: http.get
            args: {url: "https://api.test/x", query: {v: "${v}"}}
            result: r
        - a:
            assign: [seen: "${list.concat(seen, r.body)}"]
- r:
    return: ${seen}
"""
    responses = [{"status": 200, "body": "one"}, {"status": 200, "body": "more"}]
    stubs = {"http": [{"method": "GET", "url": URL, "responses": responses}]}
    record = run_file(flow(source), None, http_stubs=stubs, virtual_clock=True)
    assert record["result"] == ["one", "more", "more"]
    assert [call["url"] for call in record["calls"]] == [f"{URL}?v={n}" for n in (1, 2, 3)]


def test_address_without_a_stub_cannot_be_connected_to(flow):
    record = run_file(flow(CALL), {"url": URL}, http_stubs=[], virtual_clock=True)
    assert record["state"] == "FAILED"
    assert record["error"]["tags"] == ["ConnectionFailedError"]
    assert f"no stub for POST {URL}" in record["error"]["message"]


def test_stub_may_set_its_headers(flow):
    responses = [{"status": 200, "body": {"a": 1}, "headers": {"Content-Type": "text/plain"}}]
    stubs = [{"method": "POST", "url": URL, "responses": responses}]
    record = run_file(flow(CALL), {"url": URL}, http_stubs=stubs, virtual_clock=True)
    assert record["result"] == [200, '{"a": 1}']


@pytest.mark.parametrize(
    ("headers", "body", "read"),
    [
        ({"content-type": "text/html"}, "<p>", "<p>"),
        ({"CONTENT-TYPE": "application/problem+json"}, {"a": 1}, {"a": 1}),
        ({"X-Only": "1"}, "text", "text"),
    ],
)
def test_stub_answers_with_the_content_its_type_says(flow, headers, body, read):
    responses = [{"status": 200, "body": body, "headers": headers}]
    stubs = [{"method": "POST", "url": URL, "responses": responses}]
    record = run_file(flow(CALL), {"url": URL}, http_stubs=stubs, virtual_clock=True)
    assert record["result"] == [200, read]


def test_virtual_runs_repeat_exactly(flow):
    source = """
- r:
    return: ["${uuid.generate()}", "${sys.now()}", '${sys.get_env("GOOGLE_CLOUD_WORKFLOW_ID")}']
"""
    first, second = (run_file(flow(source), None, http_stubs=[], virtual_clock=True) for _ in range(2))
    assert first == second
    assert first["result"][2] == "flow"


async def test_real_requests_go_over_the_network(unused_port_server):
    url, seen = unused_port_server
    record = await run_program(load(CALL, "flow.yaml"), {"url": f"{url}/ok"})
    assert record["result"] == [200, {"echo": {"n": 1}}]
    assert seen == [("POST", "/ok", "k")]


async def test_network_fault_is_an_error_of_the_language(unused_port_server):
    url, _ = unused_port_server
    record = await run_program(load(CALL, "flow.yaml"), {"url": f"{url}/hang"}, virtual_clock=True)
    assert record["error"]["tags"][0] in {"ConnectionError", "TimeoutError"}
    refused = await run_program(
        load(CALL, "flow.yaml"), {"url": "http://127.0.0.1:9/none"}, virtual_clock=True
    )
    assert refused["error"]["tags"] == ["ConnectionFailedError"]


@pytest.fixture
async def unused_port_server():
    """A small HTTP server, and the requests it has seen."""
    seen = []

    async def handle(request):
        if request.path == "/hang":
            request.transport.close()
            return web.Response()
        seen.append((request.method, request.path, request.headers.get("X-Key")))
        return web.json_response({"echo": await request.json()})

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handle)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = site._server.sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}", seen
    await runner.cleanup()


async def test_requests_and_timers_of_branches_overlap(unused_port_server):
    url, _ = unused_port_server
    source = f"""
- i:
    assign: [log: []]
- p:
    parallel:
      shared: [log]
      branches:
        - net:
            steps:
              - g:
                  call: http.post
                  args: {{url: "{url}/x", body: 1}}
              - a:
                  assign: [log: "${{list.concat(log, 1)}}"]
        - timer:
            steps:
              - s:
                  call: sys.sleep
                  args: {{seconds: 0.2}}
              - b:
                  assign: [log: "${{list.concat(log, 2)}}"]
- r:
    return: ${{log}}
"""
    for virtual in (False, True):
        record = await run_program(load(source, "flow.yaml"), None, virtual_clock=virtual)
        assert record["result"] == [1, 2]


def test_command_line_prints_the_record(flow, tmp_path, capsys):
    stubs = tmp_path / "stubs.json"
    stubs.write_text(json.dumps([{"method": "POST", "url": URL, "responses": [{"status": 200, "body": 1}]}]))
    arguments = [
        str(flow(CALL)),
        "--args",
        json.dumps({"url": URL}),
        "--http-stubs",
        str(stubs),
        "--virtual-clock",
    ]
    assert main(arguments) == 0
    assert json.loads(capsys.readouterr().out)["result"] == [200, 1]


def test_command_line_says_when_an_execution_failed(flow, capsys):
    assert main([str(flow("- r:\n    raise: ouch\n")), "--virtual-clock"]) == 1
    assert json.loads(capsys.readouterr().out)["error"] == "ouch"


def test_command_line_says_why_a_file_is_refused(flow, capsys):
    assert main([str(flow("- r:\n    return: ${x}\n"))]) == 2
    record = json.loads(capsys.readouterr().out)
    assert record["state"] == "REFUSED"
    assert (record["problems"][0]["file"], record["problems"][0]["line"]) == ("flow.yaml", 2)


def test_refusal_record_lists_every_problem(flow):
    with pytest.raises(WorkflowRefused) as refused:
        run_file(flow("- r:\n    return: ${x}\n- s:\n    next: nowhere\n"), None)
    assert [problem["line"] for problem in refusal_record(refused.value)["problems"]] == [2, 3]


def test_run_lays_the_environment_given_over_the_one_of_every_execution(flow):
    names = ("FLEET_URL", "GOOGLE_CLOUD_LOCATION", "GOOGLE_CLOUD_PROJECT_ID")
    read = ", ".join(f'sys.get_env("{name}")' for name in names)
    path = flow(f"main:\n  steps:\n    - read: {{return: '${{[{read}]}}'}}\n")
    environment = {"FLEET_URL": "http://fleet.test", "GOOGLE_CLOUD_LOCATION": "europe-west3"}
    ran = run_file(path, None, environment=environment)
    assert ran["result"] == ["http://fleet.test", "europe-west3", "local"]

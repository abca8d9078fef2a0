"""What an observer sees, and what an execution costs."""

from infra.local.workflows.outcomes import Done, HttpFault, HttpResponse

SOURCE = """
main:
  steps:
    - i:
        assign: [x: 1, y: 2, z: 3]
    - t:
        try:
          call: http.get
          args: {url: "https://api.test"}
        retry: ${http.default_retry}
    - p:
        parallel:
          branches:
            - left:
                steps:
                  - a:
                      call: sys.log
                      args: {text: hello}
            - right:
                steps:
                  - b:
                      call: sub
sub:
  steps:
    - c:
        raise: ouch
"""


class Recorder:
    """Writes down every event as one line."""

    def __init__(self):
        self.lines = []

    def step_entered(self, branch, place):
        self.lines.append(f"{branch}> {place.routine}.{place.step}:{place.line}")

    def step_left(self, branch, place):
        self.lines.append(f"{branch}< {place.step}")

    def step_failed(self, branch, place, error):
        self.lines.append(f"{branch}! {place.step}")

    def retrying(self, branch, attempt, delay, error):
        self.lines.append(f"{branch}~ {attempt} {delay} {error['tags'][0]}")

    def call_issued(self, branch, op):
        self.lines.append(f"{branch}+ {op.id} {type(op).__name__}")

    def call_returned(self, branch, op, outcome):
        self.lines.append(f"{branch}- {op.id} {type(outcome).__name__}")

    def logged(self, branch, entry):
        self.lines.append(f"{branch}# {entry.payload}")


def drive(built):
    built.start()
    built.resume(1, HttpFault("timeout"))
    built.resume(2, Done(None))
    built.resume(3, HttpResponse(200, {}, b""))
    return built


def test_observer_sees_every_step_call_retry_and_log(machine):
    recorder = Recorder()
    drive(machine(SOURCE, observer=recorder))
    assert recorder.lines == [
        "> main.i:4",
        "< i",
        "> main.t:6",
        "+ 1 HttpRequest",
        "- 1 HttpFault",
        "~ 1 1 TimeoutError",
        "+ 2 Sleep",
        "- 2 Done",
        "+ 3 HttpRequest",
        "- 3 HttpResponse",
        "< t",
        "> main.p:11",
        "left> main.a:16",
        "left# hello",
        "left< a",
        "right> main.b:21",
        "right> sub.c:25",
        "right! c",
        "right! b",
        "! p",
    ]


def test_observer_changes_nothing(machine):
    watched, unwatched = drive(machine(SOURCE, observer=Recorder())), drive(machine(SOURCE))
    assert (watched.verdict, watched.usage) == (unwatched.verdict, unwatched.usage)


def test_watched_machine_keeps_to_its_budget(machine):
    source = """
        - i:
            assign: [n: 0]
        - f:
            for:
              value: v
              range: [1, 9]
              steps:
                - a:
                    assign: [n: "${n + v}"]
                - b:
                    switch:
                      - condition: ${v == 3}
                        next: break
        - r:
            return: ${n}
    """
    built, turns = machine(source, observer=Recorder()), 1
    built.start(budget=2)
    while built.runnable:
        built.proceed(budget=2)
        turns += 1
    assert (built.verdict.result, turns) == (6, 4)


def test_every_assigned_variable_attempt_and_called_step_is_billed(machine):
    usage = drive(machine(SOURCE)).usage
    # i, t twice, p, a, b, c; two more for the further variables of i; two requests outside Google.
    assert (usage.steps, usage.internal, usage.external) == (7, 7, 2)


def test_requests_to_google_hosts_are_internal(machine):
    for host, external in (
        ("x.run.app", 0),
        ("a.cloudfunctions.net", 0),
        ("run.app.evil.test", 1),
        ("a.test", 1),
    ):
        built = machine(f"- g:\n    call: http.get\n    args: {{url: 'https://{host}/path'}}\n")
        built.start()
        assert built.usage.external == external


def test_driver_may_say_which_addresses_are_internal(machine):
    source = "- g:\n    call: http.get\n    args: {url: 'http://127.0.0.1:8080/fn'}\n"
    built = machine(source, is_internal=lambda url: url.startswith("http://127.0.0.1:8080/"))
    built.start()
    assert built.usage.external == 0


def test_waiting_for_a_callback_is_external(machine):
    built = machine(
        "- c: {call: events.create_callback_endpoint, result: cb}\n"
        "- w: {call: events.await_callback, args: {callback: '${cb}'}}\n"
    )
    built.start()
    built.resume(1, Done("https://callbacks.test/1"))
    assert (built.usage.internal, built.usage.external) == (1, 1)

"""Time, chance, environment and the log."""

import pytest

from infra.local.workflows.observer import LogEntry


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ('time.format(1720788633, "GMT")', "2024-07-12T12:50:33.000000Z"),
        ("time.format(1720788633)", "2024-07-12T12:50:33.000000Z"),
        ('time.format(1720788633, "")', "2024-07-12T12:50:33.000000Z"),
        ('time.format(1720788633, "Europe/Paris")', "2024-07-12T14:50:33.000000+02:00"),
        ("time.format(1720788633.25)", "2024-07-12T12:50:33.250000Z"),
        ('time.parse("2024-07-12T12:50:33Z")', 1720788633.0),
        ('time.parse("2024-07-12T14:50:33.5+02:00")', 1720788633.5),
        ("sys.now()", 1728000000.0),
        ('sys.get_env("REGION")', "north"),
        ('sys.get_env("NOPE", "fallback")', "fallback"),
        ('sys.get_env("NOPE")', None),
        ("len(uuid.generate())", 36),
    ],
)
def test_ambient_function_gives_the_documented_value(verdict, expression, value):
    ended = verdict(f"- r:\n    return: '${{{expression}}}'\n", environment={"REGION": "north"})
    assert value == ended.result


@pytest.mark.parametrize(
    ("expression", "tag"),
    [
        ('time.format(1, "Mars/Base")', "ValueError"),
        ('time.format(1, "../../etc/passwd")', "ValueError"),
        ("time.format(1e15)", "ValueError"),
        ('time.format("1")', "TypeError"),
        ('time.parse("yesterday")', "ValueError"),
        ('time.parse("0001-01-01T00:00:00+23:00")', "ValueError"),
        ("time.parse(1)", "TypeError"),
        ("sys.get_env(1)", "TypeError"),
        ('sys.get_env("A", 1)', "TypeError"),
    ],
)
def test_ambient_function_refuses_bad_arguments(evaluate, expression, tag):
    assert tag in evaluate(expression)


class Log:
    """Keeps what is logged."""

    def __init__(self):
        self.entries = []

    def logged(self, branch, entry):
        self.entries.append(entry)

    def __getattr__(self, name):
        return lambda *_: None


@pytest.mark.parametrize(
    ("args", "severity", "payload"),
    [
        ("{data: plain}", "DEFAULT", "plain"),
        ("{data: {a: 1}, severity: INFO}", "INFO", {"a": 1}),
        ("{data: [1, 2]}", "DEFAULT", "[1,2]"),
        ("{text: {a: 1}}", "DEFAULT", '{"a":1}'),
        ("{text: true}", "DEFAULT", "true"),
        ("{json: {a: 1}, timeout: 5}", "DEFAULT", {"a": 1}),
        ('["one", "ERROR"]', "ERROR", "one"),
        ('["${null}", "ERROR", "three"]', "ERROR", "three"),
    ],
)
def test_log_takes_data_text_or_json(machine, args, severity, payload):
    log = Log()
    built = machine(f"- l:\n    call: sys.log\n    args: {args}\n", observer=log)
    built.start()
    assert log.entries == [LogEntry(severity, payload)]


@pytest.mark.parametrize(
    ("args", "tag"),
    [
        ("{}", "TypeError"),
        ("{data: a, text: b}", "TypeError"),
        ("{json: text}", "TypeError"),
        ("{text: '${null}'}", "TypeError"),
        ("{text: a, severity: LOUD}", "ValueError"),
    ],
)
def test_log_refuses_bad_arguments(verdict, args, tag):
    ended = verdict(f"- l:\n    call: sys.log\n    args: {args}\n")
    assert tag in ended.error["tags"]


def test_log_keeps_its_payload_out_of_its_face():
    assert "4711" not in repr(LogEntry("INFO", "pin 4711"))

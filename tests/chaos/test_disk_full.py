"""No room left, real process, real file: callers hear 507, nothing acknowledged is lost, sagas wait."""

import json
import resource
import threading

from infra.local.own_socket import HomeConnection

EVENT = {"subject": "melmastoon.tenant.config_updated.v1", "tenant": "tnt_silk", "ordering_key": "tnt_silk"}
PAD = "x" * 60_000


def _limit(fleet, size):
    # The limit on a file's size stands in for a full disk: SQLite meets the same refusal when it writes.
    resource.prlimit(fleet.process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def _publish(fleet, digits, pad=""):
    """Publish a change of policy and return the status."""
    data = {"keyKindPolicy": {"pinDigits": digits}, "pad": pad}
    connection = HomeConnection(fleet.home, fleet.port, 20)
    headers = {"Authorization": f"Bearer {fleet._token()}"}
    connection.request("POST", "/_cloud/publish", json.dumps({**EVENT, "data": data}), headers)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status


def _log_size(fleet):
    return (fleet.home / "fleet.db-wal").stat().st_size


def _policy(fleet):
    found = fleet.ask("GET", "/_cloud/documents/tnt_silk/policies/tenant")["document"]
    return found["settings"]["pinDigits"]


def test_callers_hear_507_and_what_was_acknowledged_survives_the_full_disk_and_a_kill(fleet):
    assert fleet.start()
    assert _publish(fleet, 7) == 200
    assert fleet.until(lambda: _policy(fleet) == 7)
    _limit(fleet, _log_size(fleet) + 200_000)
    statuses = [_publish(fleet, 8, PAD) for _ in range(12)]
    assert set(statuses) == {200, 507}
    assert statuses[-1] == 507
    _limit(fleet, resource.RLIM_INFINITY)
    assert _publish(fleet, 6) == 200
    fleet.kill()
    assert fleet.start()
    assert fleet.until(lambda: _policy(fleet) == 6)
    assert fleet.until(lambda: fleet.ask("GET", "/_cloud/status")["backlog"] == {})


def test_a_saga_waits_for_room_and_goes_on_without_repeating_a_call(fleet, outsider):
    assert fleet.start()
    gate = threading.Event()
    outsider.before_answering = gate.wait
    started = fleet.ask(
        "POST", "/_cloud/executions", {"workflow": "outside", "argument": {"url": outsider.url}}
    )
    assert fleet.until(lambda: len(outsider.requests) == 1)
    _limit(fleet, _log_size(fleet))
    gate.set()
    assert fleet.until(lambda: _publish(fleet, 7) == 507)
    shown = fleet.ask("GET", f"/_cloud/executions/{started['execution']}")
    assert (shown["state"], len(outsider.requests)) == ("ACTIVE", 1)
    _limit(fleet, resource.RLIM_INFINITY)
    assert fleet.until(
        lambda: fleet.ask("GET", f"/_cloud/executions/{started['execution']}")["state"] == "SUCCEEDED"
    )
    assert [request["step"] for request in outsider.requests] == [1, 2]

"""The API of a fleet that really runs, called with the token that the command prints."""

import http.client
import json


def _get(fleet, path, token=None):
    connection = http.client.HTTPConnection("127.0.0.1", fleet.port, timeout=20)
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    connection.request("GET", f"/lock-api{path}", headers=headers)
    answer = connection.getresponse()
    told = json.loads(answer.read())
    connection.close()
    return answer.status, told


def test_a_printed_token_opens_the_api_as_the_person_it_names_and_as_nobody_else(running):
    as_clerk = ("--tenant", "tnt_silk", "--role", "front_desk", "--property", "ppt_kabul", "--user", "usr_7")
    token = running.ask("token", *as_clerk)["token"]
    status, me = _get(running, "/lock/v1/me", token)
    assert (status, me["id"], me["roles"], me["properties"]) == (200, "usr_7", ["front_desk"], ["ppt_kabul"])
    assert _get(running, "/lock/v1/me")[0] == 401
    assert _get(running, "/lock/v1/me", token[:-4] + "AAAA")[0] == 401
    assert _get(running, "/lock/v1/elsewhere", token)[0] == 404

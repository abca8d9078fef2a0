"""The table of operations: by method, by path, and by paths with parts that vary."""

from http import HTTPStatus

import pytest

from infra.simulators.kit.operation import Operation, Operations, Request


async def answer(_cloud, _call):
    """Do nothing."""


TABLE = Operations(
    [
        Operation("locks/list", "GET", "/v1/locks", answer),
        Operation("keys/add", "POST", "/v1/locks/{lockId}/keys", answer),
        Operation("keys/delete", "DELETE", "/v1/locks/{lockId}/keys/{keyId}", answer),
    ]
)


def asked(method, path):
    """Return what the table says to a request."""
    return TABLE.find(Request(method, path, b"", "", b""))


def test_an_operation_is_found_by_its_plain_path():
    operation, parts = asked("GET", "/v1/locks")
    assert (operation.name, parts) == ("locks/list", {})


def test_an_operation_is_found_with_the_parts_of_its_path():
    operation, parts = asked("DELETE", "/v1/locks/101/keys/7")
    assert (operation.name, parts) == ("keys/delete", {"lockId": "101", "keyId": "7"})


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("POST", "/v1/locks", HTTPStatus.METHOD_NOT_ALLOWED),
        ("GET", "/v1/locks/101/keys", HTTPStatus.METHOD_NOT_ALLOWED),
        ("GET", "/v1/lock", HTTPStatus.NOT_FOUND),
        ("POST", "/v1/locks/1/2/keys", HTTPStatus.NOT_FOUND),
    ],
)
def test_what_there_is_not_is_told_apart_from_another_method(method, path, status):
    assert asked(method, path) is status

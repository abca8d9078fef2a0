"""Programs that examine the API's description and its answers: asked where the machine has them."""

import shutil

import pytest


def schemathesis():
    """Return what sends an API all that its description allows, and what it does not."""
    return pytest.importorskip(
        "schemathesis", reason="schemathesis is not installed (pip install schemathesis)"
    )


def openapi_validator():
    """Return what says whether a description is one."""
    reason = "openapi-spec-validator is not installed (pip install openapi-spec-validator)"
    return pytest.importorskip("openapi_spec_validator", reason=reason)


def node():
    """Return what runs what the page for integrators says in TypeScript."""
    return shutil.which("node") or pytest.skip("node is not installed (18 or newer)")

"""Every deployable loads through the framework, and refuses strangers."""

import sys

import pytest
from functions_framework.aio import create_asgi_app_from_module
from starlette.exceptions import HTTPException
from starlette.responses import Response

from infra.local.counters import Counters
from infra.local.host.app import Host
from infra.local.host.functions import host_function, load_functions
from infra.local.transport import InProcess
from infra.manifest.load import ManifestRefused, load_manifest
from infra.manifest.model import Deployable
from shared.runtime.entry import public
from shared.runtime.platform import Deployed
from shared.vendor_kit.http import Call

BASE = "http://127.0.0.1:8787"
HERE = sys.modules[__name__]


@public()
async def told(came, on):
    """Say something."""
    return Response(b"one")


@public()
async def told_otherwise(came, on):
    """Say something else."""
    return Response(b"another")


async def plain(request):
    """Answer in each of the ways that the framework knows, or break."""
    match request.url.query:
        case "text":
            return request.url.path
        case "json":
            return {"method": request.method}
        case "both":
            return {"made": True}, 201
        case "refuse":
            raise HTTPException(418, "no coffee")
        case "break":
            raise ValueError("canary")
        case "whole":
            return Response(await request.body(), 202)
    return None


@pytest.fixture(scope="module")
def functions():
    return load_functions(load_manifest(), BASE)


def test_every_deployable_of_the_manifest_is_loaded(functions):
    manifest = load_manifest()
    assert set(functions) == {*manifest.functions, *manifest.next_builds}


def test_the_descriptor_says_who_may_call(functions):
    assert functions["probe-answer"].deployed.callers == {"workflow-probe-platform"}
    assert functions["probe-reply"].deployed.callers == {"cloud-tasks"}
    assert functions["probe-reply"].deployed.opens == {"saga-callback"}
    assert functions["probe-answer"].deployed.audience == f"{BASE}/probe-answer"


def test_a_missing_entry_point_is_refused_with_the_remedy():
    manifest = load_manifest()
    some = manifest.functions["probe-answer"]
    changed = Deployable.model_validate({**some.deployable.model_dump(), "entry_point": "not_there"})
    broken = type(manifest)({"probe-answer": type(some)(some.name, some.family, changed)})
    with pytest.raises(ManifestRefused, match="set entry_point"):
        load_functions(broken, BASE)


def test_a_function_is_framed_once_and_another_in_its_place_anew(monkeypatch):
    deployed = Deployed("told", f"{BASE}/told", public=True)
    before = host_function(deployed, HERE, "told")
    assert host_function(deployed, HERE, "told").app is before.app
    monkeypatch.setattr(HERE, "told", told_otherwise)
    assert host_function(deployed, HERE, "told").app is not before.app


@pytest.mark.parametrize("said", ["text", "json", "both", "refuse", "break", "whole", "nothing"])
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/"),
        ("POST", "/a/b"),
        ("HEAD", "/"),
        ("TRACE", "/"),
        ("GET", "/robots.txt"),
        ("GET", "/favicon.ico"),
    ],
)
async def test_a_function_answers_as_the_frameworks_whole_application_does(said, method, path):
    call = Call(method, f"http://127.0.0.1:8787{path}?{said}", body=b"came")
    framework = create_asgi_app_from_module("plain", __file__, "http", HERE, None)
    framed = host_function(Deployed("plain", BASE), HERE, "plain").app
    assert await InProcess(framed).send(call) == await InProcess(framework).send(call)


async def test_without_a_platform_a_function_says_so(functions, no_platform):
    host = Host(functions, None, "127.0.0.1:8787", Counters())
    answer = await InProcess(host).send(Call("POST", f"{BASE}/probe-answer", body=b"{}"))
    assert answer.status == 503
    assert b"no platform is bound" in answer.body

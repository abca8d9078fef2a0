"""A small table of routes, one for each way a route finds out where its thing is."""

from shared.domain.ids import PropertyId
from shared.domain.permissions import Permission
from shared.events.wire import Published
from shared.runtime.asked import Answered
from shared.runtime.problems import NotThere
from shared.runtime.routes import Route

KEYS = {
    "tnt_silk": {
        "key_01KSAMP1E00000000000000001": "ppt_kabul",
        "key_01KSAMP1E00000000000000002": "ppt_herat",
    },
    "tnt_other": {"key_01KSAMP1E00000000000000003": "ppt_far"},
}
"""Each tenant's keys, and where each is."""


class Told(Published):
    """What was done, and to what."""

    done: str
    keys: tuple[str, ...] | None = None
    version: str | None = None


class Wish(Published):
    """What is wanted of a key."""

    reason: str
    times: int = 1


class Filter(Published):
    """What to look for."""

    limit: int = 10


async def _about_me(asked, on):
    return Told(done=f"{asked.principal.id}")


async def _of_property(asked, on):
    keys = _keys_at(asked, {asked.ids["propertyId"]})
    if not keys:
        raise NotThere("no such property")
    return Told(done="of_property", keys=keys)


async def _list(asked, on):
    return Told(done="list", keys=_keys_at(asked, asked.where())[: asked.query.limit])


async def _get(asked, on):
    _find(asked)
    return Answered(Told(done="get"), version="v7")


async def _revoke(asked, on):
    _find(asked)
    return Told(done=f"revoke {asked.body.reason}")


async def _change(asked, on):
    _find(asked)
    asked.expects("v7")
    return Answered(Told(done="change"), version="v8")


async def _forgetful(asked, on):
    return Told(done="forgot to ask")


async def _setting(asked, on):
    return Told(done="setting")


async def _crash(asked, on):
    raise ZeroDivisionError("canary 4711")


def _find(asked):
    where = KEYS[asked.principal.tenant].get(asked.ids["keyCredentialId"])
    if where is None:
        raise NotThere("no such key")
    asked.at(PropertyId(where))


def _keys_at(asked, properties):
    own = KEYS[asked.principal.tenant].items()
    return tuple(key for key, where in own if properties is None or where in properties)


P = Permission
ONE = "/t/v1/keys/{keyCredentialId}"
ROUTES = (
    Route(method="GET", path="/t/v1/me", summary="Who I am", use_case=_about_me, answer=Told),
    Route(
        method="GET",
        path="/t/v1/properties/{propertyId}/keys",
        summary="A property's keys",
        use_case=_of_property,
        answer=Told,
        permission=P.KEY_READ,
    ),
    Route(
        method="GET",
        path="/t/v1/keys",
        summary="Keys",
        use_case=_list,
        answer=Told,
        permission=P.KEY_READ,
        query=Filter,
    ),
    Route(method="GET", path=ONE, summary="A key", use_case=_get, answer=Told, permission=P.KEY_READ),
    Route(
        method="PUT",
        path=ONE,
        summary="Change a key",
        use_case=_change,
        answer=Told,
        permission=P.KEY_EXTEND,
        guarded=True,
    ),
    Route(
        method="POST",
        path=ONE + "/revoke",
        summary="Revoke a key",
        use_case=_revoke,
        answer=Told,
        permission=P.KEY_REVOKE,
        request=Wish,
        status=202,
    ),
    Route(
        method="POST",
        path=ONE + "/reveal",
        summary="Reveal a PIN",
        use_case=_revoke,
        answer=Told,
        permission=P.PIN_REVEAL,
        request=Wish,
    ),
    Route(
        method="POST",
        path="/t/v1/properties/{propertyId}/master-keys",
        summary="Give staff a key",
        use_case=_of_property,
        answer=Told,
        permission=P.MASTER_KEY_ISSUE,
    ),
    Route(
        method="PUT",
        path="/t/v1/settings",
        summary="Change settings",
        use_case=_setting,
        answer=Told,
        permission=P.TENANT_WRITE,
    ),
    Route(
        method="GET",
        path="/t/v1/forgetful",
        summary="Forgets to ask where",
        use_case=_forgetful,
        answer=Told,
        permission=P.KEY_READ,
    ),
    Route(method="GET", path="/t/v1/crash", summary="Crashes", use_case=_crash, answer=Told),
)

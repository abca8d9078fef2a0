"""What an operator does with the keys that seal: looks, rotates, seals anew, destroys old ones."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from infra.local.rekeying import Rekeying
from shared.domain.errors import InvalidInput

Facts = Mapping[str, Any]


async def _rotated(keys: Rekeying, purpose: str) -> Facts:
    return {"version": keys.rotate(purpose)}


async def _resealed(keys: Rekeying, purpose: str) -> Facts:
    return {"resealed": await keys.reseal(purpose)}


async def _retired(keys: Rekeying, purpose: str) -> Facts:
    return {"retired": await keys.retire(purpose)}


WORK: Final[Mapping[str, Callable[[Rekeying, str], Awaitable[Facts]]]] = {
    "rotate": _rotated,
    "reseal": _resealed,
    "retire": _retired,
}


async def work_on_keys(keys: Rekeying, body: Facts) -> Facts:
    """Do one thing to one purpose, or to all of them."""
    work, asked = WORK.get(str(body.get("do"))), body.get("purpose")
    if work is None:
        raise InvalidInput("do", "not a thing to do with keys", f"name one of {', '.join(WORK)}")
    purposes = list(keys.versions()) if asked is None else [str(asked)]
    done = {purpose: await work(keys, purpose) for purpose in purposes if asked or keys.walks(purpose)}
    return {"did": body["do"], "purposes": done}

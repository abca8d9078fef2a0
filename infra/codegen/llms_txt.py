"""What a language model is told of the API first (llms.txt): what there is, and how to ask."""

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Final

from infra.codegen.openapi import Described, described, operation_id
from shared.domain.permissions import RULES

PAGE: Final = Path("schemas/llms.txt")
OWNED: Final = (str(PAGE),)
_HEAD: Final = """# keyfleet

> Reservations become door keys, and stop being keys when the guest leaves. Staff, desks and programs
> ask one HTTP API; events go to Pub/Sub and to webhooks. No answer holds a PIN but `revealPin`.

- Ask with `Authorization: Bearer`: a token of the hotel's identity provider, or a service account's key.
- Each function has a base path: `BASE/lock-api` and so on, as the headings below.
- Send an `Idempotency-Key` with each change: asked for again by it, the change is made once.
- From status 400 on, the answer is a problem (RFC 9457): `code`, `detail`, `remedy`. What is another hotel's
  is answered 404, too.
- Times are UTC with a Z; ids have prefixes (`rsv_`, `key_`, `ppt_`, `lck_`, `mky_`). Lists have a `cursor`.
- With `fresh`, a sign-in of the last five minutes is asked for, which programs do not have.

## Read on

- [OpenAPI 3.1](openapi.json): every route, model and problem
- [AsyncAPI 3.0](asyncapi.json): every event, and webhooks
- [Permissions](../infra/docs/permissions.md), [problems](../infra/docs/problems.md)
- [The sandbox](../infra/docs/sandbox.md): simulated doors, faults and time
- `keyfleet mcp`: the same routes as tools of the Model Context Protocol

"""


def page() -> str:
    """Return the page."""
    return _HEAD + "\n".join(_routes()) + "\n"


def _routes() -> Iterator[str]:
    for function, rows in groupby(described(), key=lambda each: each.function):
        yield f"## Routes of {function}\n"
        yield from map(_row, rows)
        yield ""


def _row(each: Described) -> str:
    route = each.route
    fresh = route.permission is not None and RULES[route.permission].fresh
    needs = f" ({route.permission}{', fresh' if fresh else ''})" if route.permission else ""
    return f"- `{route.method} {route.path}` {operation_id(route)}: {route.summary}{needs}"


def generate() -> dict[Path, str]:
    """Return the page as a file."""
    return {PAGE: page()}

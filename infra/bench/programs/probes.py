"""Functions that do nothing, so that what is measured is the way to them and back."""

from collections.abc import Mapping
from typing import Any

import functions_framework.aio
from starlette.requests import Request

from shared.runtime.entry import step
from shared.runtime.platform import Platform


@functions_framework.aio.http
async def bench_plain(_request: Request) -> dict[str, Any]:
    """Answer an empty object."""
    return {}


@step
async def bench_step(_body: Mapping[str, Any], _on: Platform) -> Mapping[str, Any]:
    """Answer an empty object to whoever may ask."""
    return {}

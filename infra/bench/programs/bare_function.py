"""The least a function of functions-framework can be: what every entry point's start-up is compared with."""

import functions_framework.aio
from starlette.requests import Request


@functions_framework.aio.http
async def bare(_request: Request) -> str:
    """Answer."""
    return "ok"

"""Fault rules: put them in force, list them with their counts, lift them; and what they can be about."""

from typing import Annotated, Self

from pydantic import Field, model_validator
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from infra.simulators.ttlock.control.surface import Steered, shown
from infra.simulators.ttlock.faults import EFFECTS, EVERYWHERE, FaultRule
from infra.simulators.ttlock.hotel import Plan
from infra.simulators.ttlock.table import OPERATIONS

KNOWN = sorted(operation.name for operation in OPERATIONS.values())


class RuleBody(Plan):
    """A rule as it is sent."""

    operation: str
    fault: str
    pct: Annotated[float | None, Field(ge=0, le=100)] = None
    times: Annotated[int | None, Field(ge=0)] = None
    after: Annotated[int, Field(ge=0)] = 0
    seconds: Annotated[float, Field(ge=0)] = 0

    @model_validator(mode="after")
    def _is_a_rule(self) -> Self:
        if self.operation not in {*KNOWN, EVERYWHERE}:
            raise ValueError(f"no such operation: name one of {EVERYWHERE}, {', '.join(KNOWN)}")
        self.rule()
        return self

    def rule(self) -> FaultRule:
        """Return the rule that is meant."""
        return FaultRule(self.operation, self.fault, self.pct, self.times, self.after, self.seconds)


def routes(simulator: Steered) -> list[Route]:
    """Return the routes of this resource."""

    async def list_rules(_request: Request) -> Response:
        return shown(simulator.cloud.faults.shown())

    async def arm(request: Request) -> Response:
        body = RuleBody.model_validate_json(await request.body())
        return shown(simulator.cloud.faults.arm(body.rule()).shown(), 201)

    async def disarm(request: Request) -> Response:
        simulator.cloud.faults.disarm(request.path_params.get("number"))
        return shown(simulator.cloud.faults.shown())

    async def list_operations(_request: Request) -> Response:
        return shown({"operations": KNOWN, "faults": [*EFFECTS, "errcode:N"]})

    return [
        Route("/operations", list_operations),
        Route("/faults", list_rules),
        Route("/faults", arm, methods=["POST"]),
        Route("/faults", disarm, methods=["DELETE"]),
        Route("/faults/{number:int}", disarm, methods=["DELETE"]),
    ]

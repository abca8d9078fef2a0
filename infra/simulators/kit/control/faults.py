"""Fault rules: put them in force, list them with their counts, lift them; and what they can be about."""

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field, ValidationInfo, model_validator
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from infra.simulators.kit.control.surface import Steered, shown
from infra.simulators.kit.faults import EFFECTS, EVERYWHERE, FaultRule, effect_of
from infra.simulators.kit.plan import Plan
from infra.simulators.kit.platform import Platform


class RuleBody(Plan):
    """A rule as it is sent."""

    operation: str
    fault: str
    pct: Annotated[float | None, Field(ge=0, le=100)] = None
    times: Annotated[int | None, Field(ge=0)] = None
    after: Annotated[int, Field(ge=0)] = 0
    seconds: Annotated[float, Field(ge=0)] = 0

    @model_validator(mode="after")
    def _is_a_rule(self, info: ValidationInfo) -> "RuleBody":
        platform: Platform[Any] = (info.context or {})["platform"]
        known = platform.operations.names
        if self.operation not in {*known, EVERYWHERE}:
            raise ValueError(f"no such operation: name one of {EVERYWHERE}, {', '.join(known)}")
        code = effect_of(self.fault).errcode
        if code is not None and not platform.knows_code(code):
            raise ValueError("no such error code: the vendor's look otherwise")
        self.rule()
        return self

    def rule(self) -> FaultRule:
        """Return the rule that is meant."""
        return FaultRule(self.operation, self.fault, self.pct, self.times, self.after, self.seconds)


def routes(simulator: Steered) -> Sequence[Route]:
    """Return the routes of this resource."""
    platform = simulator.vendor.platform

    async def list_rules(_request: Request) -> Response:
        return shown(simulator.cloud.faults.shown())

    async def arm(request: Request) -> Response:
        body = RuleBody.model_validate_json(await request.body(), context={"platform": platform})
        return shown(simulator.cloud.faults.arm(body.rule()).shown(), 201)

    async def disarm(request: Request) -> Response:
        simulator.cloud.faults.disarm(request.path_params.get("number"))
        return shown(simulator.cloud.faults.shown())

    async def list_operations(_request: Request) -> Response:
        vendor = simulator.vendor
        own = {"adding": vendor.adding, "deleting": vendor.deleting, "offline": vendor.offline}
        names, faults = platform.operations.names, [*EFFECTS, "errcode:N"]
        of_every_call = sorted(platform.of_every_call)
        known = {"vendor": vendor.name, "operations": names, "faults": faults, **own}
        return shown({**known, "ofEveryCall": of_every_call})

    return [
        Route("/operations", list_operations),
        Route("/faults", list_rules),
        Route("/faults", arm, methods=["POST"]),
        Route("/faults", disarm, methods=["DELETE"]),
        Route("/faults/{number:int}", disarm, methods=["DELETE"]),
    ]

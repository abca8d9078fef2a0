"""How a simulated hotel is written down when it is loaded: as JSON, checked field by field."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel


class Plan(BaseModel):
    """Strict and frozen: a misspelt property is an error, not a default."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        alias_generator=to_camel,
        populate_by_name=True,
        hide_input_in_errors=True,
    )


class DoorPlan(Plan):
    """The condition in which a lock hangs on its door."""

    battery: Annotated[int, Field(ge=0, le=100)] = 90
    skew_seconds: float = 0
    in_reach: bool = True

    @property
    def skew_ms(self) -> int:
        """By how much the lock's own clock is ahead."""
        return round(self.skew_seconds * 1000)


def refuse_twins(name: str, values: Sequence[object]) -> None:
    """Refuse a hotel in which a name is given twice."""
    if len(set(values)) != len(values):
        raise ValueError(f"{name} occurs twice")


def refuse_unknown(name: str, value: object, known: set[str] | set[int]) -> None:
    """Refuse a hotel that speaks of something it does not declare."""
    if value not in known:
        raise ValueError(f"{name} {value} is not declared")

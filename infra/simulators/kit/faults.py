"""Fault rules: what goes wrong, at which operation, how often. Seeded, so that a run can be repeated."""

import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from random import Random
from typing import Any

from infra.simulators.kit.errors import Code

ERRCODE = re.compile(r"errcode:(-?[\w.]+)")
NUMBER = re.compile(r"-?\d+")
EVERYWHERE = "*"


@dataclass(frozen=True, slots=True)
class Effect:
    """What a fault does to the request it strikes."""

    executes: bool = False
    status: int | None = None
    errcode: Code | None = None
    cut: bool = False
    halved: bool = False


EFFECTS = {
    "drop": Effect(cut=True),
    "timeout_after_success": Effect(executes=True, cut=True),
    "truncated": Effect(executes=True, halved=True),
    "http_403": Effect(status=403),
    "http_429": Effect(status=429),
    "http_500": Effect(status=500),
    "http_502": Effect(status=502),
    "slow": Effect(executes=True),
}


@dataclass(frozen=True, slots=True)
class FaultRule:
    """Strike an operation after its first `after` calls: always, `times` often, or in `pct` of cases."""

    operation: str
    fault: str
    pct: float | None = None
    times: int | None = None
    after: int = 0
    seconds: float = 0

    def __post_init__(self) -> None:
        effect_of(self.fault)
        if self.pct is not None and not 0 <= self.pct <= 100:
            raise ValueError("pct is a percentage")
        if min(self.after, self.seconds, self.times or 0) < 0:
            raise ValueError("after, seconds and times are not negative")


def effect_of(fault: str) -> Effect:
    """Return the effect of a fault by its name, such as http_500 or errcode:-3003."""
    if match := ERRCODE.fullmatch(fault):
        return Effect(errcode=int(match[1]) if NUMBER.fullmatch(match[1]) else match[1])
    if fault not in EFFECTS:
        raise ValueError(f"no such fault: name errcode:N or one of {', '.join(EFFECTS)}")
    return EFFECTS[fault]


class ArmedRule:
    """A rule with its count and its own chance, so that other draws do not shift its strikes."""

    def __init__(self, number: int, rule: FaultRule, chance: Random) -> None:
        self.number, self.rule, self._chance = number, rule, chance
        self.seen = self.struck = 0

    def strikes(self, operation: str) -> bool:
        """Count a call, and tell whether the rule strikes it."""
        rule = self.rule
        if rule.operation not in (operation, EVERYWHERE):
            return False
        self.seen += 1
        if self.seen <= rule.after or (rule.times is not None and self.struck >= rule.times):
            return False
        if rule.pct is not None and self._chance.random() * 100 >= rule.pct:
            return False
        self.struck += 1
        return True

    def shown(self) -> dict[str, Any]:
        """Return the rule and its counts for the control plane."""
        return {"number": self.number, **asdict(self.rule), "seen": self.seen, "struck": self.struck}


class FaultPlan:
    """The rules in force; the first that strikes wins, and later ones do not see that call."""

    def __init__(self, rules: Iterable[FaultRule], chance: Random) -> None:
        self._chance, self._number = chance, 0
        self._armed: dict[int, ArmedRule] = {}
        for rule in rules:
            self.arm(rule)

    def arm(self, rule: FaultRule) -> ArmedRule:
        """Put a rule in force."""
        self._number += 1
        # A fault schedule must be repeatable, so its chance is seeded, not secret.
        armed = ArmedRule(self._number, rule, Random(self._chance.getrandbits(64)))  # noqa: S311 - see above
        self._armed[self._number] = armed
        return armed

    def disarm(self, number: int | None = None) -> None:
        """Lift one rule, or all."""
        for gone in [number] if number is not None else list(self._armed):
            self._armed.pop(gone, None)

    def strike(self, operation: str) -> FaultRule | None:
        """Return the rule that strikes this call, if any does."""
        return next((armed.rule for armed in self._armed.values() if armed.strikes(operation)), None)

    def shown(self) -> list[dict[str, Any]]:
        """Return every rule in force with its counts."""
        return [armed.shown() for armed in self._armed.values()]

"""What goes wrong at doors for a while: gateways away, locks out of reach, a platform that refuses."""

from dataclasses import dataclass, field

from tests.soak.outside.house import FRONT, LOCKS

GATEWAYS = (501, 502)


@dataclass(frozen=True, eq=False)
class Trouble:
    """How it begins and how it ends, as calls of the doors' control plane: method, path and what is said."""

    name: str
    begins: tuple
    ends: tuple = ("DELETE", "faults", {})


def _away(gateway):
    path = f"gateways/{gateway}"
    return Trouble(f"{path} away", ("PATCH", path, {"online": False}), ("PATCH", path, {"online": True}))


def _out_of_reach(lock):
    path = f"locks/{lock}"
    return Trouble(f"{path} away", ("PATCH", path, {"in_reach": False}), ("PATCH", path, {"in_reach": True}))


def _refused(fault, operation, **more):
    body = {"fault": fault, "operation": operation, **more}
    return Trouble(f"{fault} {operation}", ("POST", "faults", body))


TROUBLES = (
    *map(_away, GATEWAYS),
    *map(_out_of_reach, (FRONT, *LOCKS.values())),
    _refused("http_500", "*"),
    _refused("errcode:-3009", "keyboardPwd/add"),
    _refused("errcode:-3036", "keyboardPwd/delete"),
    _refused("errcode:-3003", "*", pct=60),
    _refused("timeout_after_success", "keyboardPwd/add", pct=50),
    _refused("timeout_after_success", "keyboardPwd/change", pct=50),
    _refused("drop", "lock/listKeyboardPwd", pct=40),
)


@dataclass
class Troubled:
    """The troubles of now, each with the number of steps that it lasts."""

    doors: object
    chance: object
    lasting: dict = field(default_factory=dict)

    def step(self, likely):
        """Let time go on: what is over ends, and something else may begin; return what began."""
        for trouble in [each for each, left in self.lasting.items() if left <= 1]:
            self._end(trouble)
        self.lasting = {each: left - 1 for each, left in self.lasting.items()}
        if self.chance.random() >= likely:
            return None
        trouble = self.chance.choice(TROUBLES)
        if trouble in self.lasting:
            return None
        self._say(trouble.begins)
        self.lasting[trouble] = self.chance.randrange(1, 12)
        return trouble.name

    def clear(self):
        """End all of them."""
        for trouble in [*self.lasting]:
            self._end(trouble)

    def _end(self, trouble):
        del self.lasting[trouble]
        self._say(trouble.ends)
        if trouble.ends[1] == "faults":  # all faults end together: the others go on
            for other in self.lasting:
                if other.ends == trouble.ends:
                    self._say(other.begins)

    def _say(self, call):
        method, path, body = call
        self.doors.steer(method, path, **body)

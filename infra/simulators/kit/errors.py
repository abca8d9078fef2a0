"""How a simulated platform refuses or breaks off, on purpose or not."""

Code = int | str
"""A vendor's own error code: a number or a word; 0 is none."""


class SimulatorError(Exception):
    """The root of what goes wrong in a simulator, on purpose or not."""


class Refused(SimulatorError):
    """The platform answers with an error code of its own."""

    def __init__(self, code: Code) -> None:
        super().__init__(f"error code {code}")
        self.code = code


class ConnectionCut(SimulatorError):
    """A fault rule ends the connection without a whole answer."""


class NotThere(SimulatorError):
    """What the control plane was asked about does not exist."""

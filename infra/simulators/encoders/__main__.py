"""Run one encoder on a pseudo-terminal: `python -m infra.simulators.encoders pn532 --baud 115200`.

It says where it is in one line of JSON, then takes orders, one JSON object a line, and answers each in the
same way: {"do": "fault", "faults": ["nack"]}, {"do": "card", "kind": "ntag"}, {"do": "card", "kind":
"none"}, {"do": "busy"}, {"do": "unplug"} and {"do": "plug"}. It ends with its input.
"""

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, Final, TextIO

from infra.simulators.encoders.er302 import Er302
from infra.simulators.encoders.pn532 import Pn532
from infra.simulators.key_cards.classic_card import ClassicCard
from infra.simulators.key_cards.ntag_card import NtagCard
from infra.simulators.wires.pty_port import PtyPort

DEVICES: Final[Mapping[str, Callable[..., Any]]] = {"pn532": Pn532, "er302": Er302}
CARDS: Final[Mapping[str, Callable[[], Any]]] = {
    "classic": ClassicCard,
    "ntag": NtagCard,
    "none": lambda: None,
}


class Bench:
    """One encoder, its plug, and whoever gives it orders."""

    def __init__(self, device: Any, plugs: Callable[[Any], PtyPort], stack: ExitStack) -> None:
        self._device, self._plugs, self._stack = device, plugs, stack
        self.plug({})

    @property
    def path(self) -> str:
        """Where the port is."""
        return self._port.path

    def obey(self, order: Mapping[str, Any]) -> dict[str, Any]:
        """Do what an order says and return the answer to it."""
        act = self._orders.get(str(order.get("do")))
        return act(self, order) if act else {"error": f"do: one of {', '.join(self._orders)}"}

    def plug(self, _: Mapping[str, Any]) -> dict[str, Any]:
        """Put the plug in, on a new port."""
        self._port = self._stack.enter_context(self._plugs(self._device))
        return {"path": self._port.path}

    def _unplug(self, _: Mapping[str, Any]) -> dict[str, Any]:
        self._port.unplug()
        return {"path": None}

    def _fault(self, order: Mapping[str, Any]) -> dict[str, Any]:
        self._device.faults.plan(*order["faults"])
        return {"planned": list(self._device.faults.planned)}

    def _card(self, order: Mapping[str, Any]) -> dict[str, Any]:
        self._device.card = CARDS[order["kind"]]()
        return {"card": order["kind"]}

    def _busy(self, _: Mapping[str, Any]) -> dict[str, Any]:
        return {"busy": self._port.busy}

    _orders: Mapping[str, Callable[["Bench", Mapping[str, Any]], dict[str, Any]]] = {
        "busy": _busy,
        "card": _card,
        "fault": _fault,
        "plug": plug,
        "unplug": _unplug,
    }


def main(arguments: Sequence[str] | None = None, orders: TextIO = sys.stdin) -> None:
    """Serve until the orders end."""
    asked = _asked(arguments)
    device = DEVICES[asked.device](CARDS[asked.card]())
    with ExitStack() as stack:
        bench = Bench(device, lambda it: PtyPort(it, asked.baud, asked.latency / 1000), stack)
        _say({"path": bench.path})
        for line in orders:
            _say(bench.obey(json.loads(line)))


def _asked(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m infra.simulators.encoders", description=__doc__)
    parser.add_argument("device", choices=DEVICES)
    parser.add_argument("--card", choices=CARDS, default="classic")
    parser.add_argument("--baud", type=int, default=0, help="the line's pace; 0 is as fast as it goes")
    parser.add_argument("--latency", type=float, default=0, help="an adapter's latency timer, in ms")
    return parser.parse_args(arguments)


def _say(answer: Mapping[str, Any]) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()

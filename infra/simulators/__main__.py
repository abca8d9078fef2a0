"""Serve a simulator on loopback: `python -m infra.simulators VENDOR --port 8701`."""

import sys

from infra.simulators.kit.serve import serve
from infra.simulators.registry import NotSimulated, simulated_vendor


def main(arguments: list[str]) -> None:
    """Play the vendor that is named first until told to stop."""
    code = arguments[0] if arguments else ""
    try:
        vendor = simulated_vendor(code)
    except NotSimulated as problem:
        sys.exit(f"error: {problem}")
    serve(vendor, code, arguments[1:])


if __name__ == "__main__":
    main(sys.argv[1:])

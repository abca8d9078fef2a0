"""Where Google's servers begin: the archive has this file as main.py.

It loads the one family that a function was deployed for, when the framework asks for its entry point by name;
a service is asked for as `app`. Nothing else of the fleet is imported by it.
"""

import json
import os
from importlib import import_module
from pathlib import Path
from typing import Any, Final

TABLE: Final = "entry_points.json"
ASKED_FOR: Final = "FUNCTION_TARGET"
PATIENCE: Final = "CLOUD_RUN_TIMEOUT_SECONDS"

# The framework takes this for its server's patience with a worker that does not stir, and reads it after
# importing us. An idle instance gets no CPU, so no worker of it stirs: each thaw would kill one (finding 4).
os.environ[PATIENCE] = "0"


def __getattr__(name: str) -> Any:
    """Return the entry point of a name; of `app`, the one that this process was started for."""
    if name.startswith("__"):
        raise AttributeError(name)
    target = os.environ.get(ASKED_FOR, "") if name == "app" else name
    module = _modules().get(target)
    if module is None:
        raise AttributeError(f"no entry point is called {target!r}")
    return getattr(import_module(module), target)


def _modules() -> dict[str, str]:
    found: dict[str, str] = json.loads(Path(__file__).with_name(TABLE).read_text(encoding="utf-8"))
    return found

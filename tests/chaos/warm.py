"""What a fleet loads when it starts: loaded once, in the process that fleets under test are forked from."""

import uvicorn  # noqa: F401 - to have it loaded
import uvloop  # noqa: F401 - the same

from infra.local.host.functions import load_functions
from infra.manifest.load import load_manifest
from tests.chaos import child  # noqa: F401 - the same

load_functions(load_manifest(), "http://127.0.0.1")

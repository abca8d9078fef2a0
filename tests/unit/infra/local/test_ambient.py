"""What the real machine is asked, and what it is told of our memory."""

import subprocess
import sys

LOOK = """
from infra.local.ambient import keep_memory_private
import ctypes, resource
keep_memory_private()
print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0), resource.getrlimit(resource.RLIMIT_CORE))
from pathlib import Path
from infra.local.own_socket import connect_at_home, listen_at_home
import tempfile
home = Path(tempfile.mkdtemp())
with listen_at_home(home), connect_at_home(home, 5):
    print("reached")
"""


def test_l6_keys_in_memory_are_read_by_no_process_and_in_no_core_dump():
    said = subprocess.run([sys.executable, "-c", LOOK], check=True, capture_output=True, text=True).stdout
    assert said.splitlines() == ["0 (0, 0)", "reached"]

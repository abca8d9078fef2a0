"""A number of document writes for strace to look at: `... document_writes FOLDER WRITES`."""

import sys
from pathlib import Path

import uvloop

from infra.bench.measures.documents import write_a_number

if __name__ == "__main__":
    print(uvloop.run(write_a_number(Path(sys.argv[1]), int(sys.argv[2]))))

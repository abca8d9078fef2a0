"""Opens a file of a release before, and dies of kill -9 once some of its documents are filed anew."""

import asyncio
import itertools
import os
import signal
import sys
from pathlib import Path

from infra.local.documents import former
from tests.contract.documents.setting import Setting, sqlite_documents


async def main(folder, dies_after):
    put, left = former._put, itertools.count(dies_after, -1)

    def mortal(*arguments):
        if next(left) <= 0:
            os.kill(os.getpid(), signal.SIGKILL)
        put(*arguments)

    former._put = mortal
    async with Setting(Path(folder), sqlite_documents):
        """Whoever comes as far as this was to die later."""


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))

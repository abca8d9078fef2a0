"""A database that is removed or replaced under a running fleet: nothing more is acknowledged."""

import shutil

import pytest

from infra.local.storage.writer import Gone
from shared.ports.documents import StorageFull
from tests.unit.infra.local.storage.notebook import keep, names, running

LOSE = {
    "removed": lambda file: file.unlink(),
    "moved": lambda file: file.rename(file.with_name("elsewhere")),
    "replaced": lambda file: (
        shutil.copy(file, file.with_name("copy")) and file.with_name("copy").replace(file)
    ),
    "its folder moved": lambda file: file.parent.rename(file.parent.with_name("other")),
}


@pytest.mark.parametrize("threaded", [True, False])
@pytest.mark.parametrize("name", ["fleet.db", "fleet.db-wal"])
@pytest.mark.parametrize("lose", LOSE.values(), ids=LOSE)
async def test_ed1_nothing_is_acknowledged_once_the_database_is_not_where_it_was(
    tmp_path, name, lose, threaded
):
    home = tmp_path / "home"
    async with running(home, threaded=threaded) as engine:
        await engine.write(keep("before"))
        lose(home / name)
        for _ in range(2):
            with pytest.raises(StorageFull, match=r"was removed or replaced"):
                await engine.write(keep("after"))
        assert engine.lost in {str(home / name), str(home / "fleet.db")}
        assert names(engine) == ["before"]


async def test_ed1_a_file_that_is_put_back_is_not_believed(tmp_path):
    async with running(tmp_path) as engine:
        (tmp_path / "fleet.db").rename(tmp_path / "elsewhere")
        with pytest.raises(Gone):
            await engine.write(keep("after"))
        (tmp_path / "elsewhere").rename(tmp_path / "fleet.db")
        with pytest.raises(Gone):
            await engine.write(keep("after"))


async def test_ed1_what_else_is_gone_stops_the_commits_too(tmp_path):
    async with running(tmp_path) as engine:
        engine.lose("identity.key")
        with pytest.raises(Gone, match=r"identity\.key was removed"):
            await engine.write(keep("after"))

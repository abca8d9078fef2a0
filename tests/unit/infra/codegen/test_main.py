from pathlib import Path
from types import ModuleType

import pytest

from infra.codegen import __main__ as codegen

ROOT = Path(__file__).parents[4]


def member(name: str, **parts: object) -> ModuleType:
    module = ModuleType(name)
    vars(module).update(parts)
    return module


def generator(files: dict[str, str], owned: tuple[str, ...] = ()) -> ModuleType:
    def generate() -> dict[Path, str]:
        return {Path(path): text for path, text in files.items()}

    generate.__module__ = "made"
    return member("made", generate=generate, OWNED=owned)


def test_regenerate_writes_and_then_nothing_drifts(tmp_path):
    made = generator({"schemas/a.json": "1\n", "docs/b.md": "پنجره\n"})
    assert list(codegen.drift(tmp_path, [made])) == [
        "docs/b.md: missing. Run make schemas",
        "schemas/a.json: missing. Run make schemas",
    ]
    codegen.regenerate(tmp_path, [made])
    assert (tmp_path / "docs/b.md").read_text(encoding="utf-8") == "پنجره\n"
    assert list(codegen.drift(tmp_path, [made])) == []


def test_drift_names_an_edited_file_and_the_remedy(tmp_path):
    made = generator({"schemas/a.json": "1\n"})
    codegen.regenerate(tmp_path, [made])
    (tmp_path / "schemas/a.json").write_text("2\n")
    assert list(codegen.drift(tmp_path, [made])) == ["schemas/a.json: out of date. Run make schemas"]


def test_stale_file_is_reported_then_deleted_and_its_neighbours_stay(tmp_path):
    made = generator({"schemas/melmastoon.a.json": "1\n"}, ("schemas/melmastoon.*.json",))
    codegen.regenerate(tmp_path, [made])
    old, kept = tmp_path / "schemas/melmastoon.old.json", tmp_path / "schemas/handwritten.json"
    for path in (old, kept):
        path.write_text("{}")
    assert list(codegen.drift(tmp_path, [made])) == [
        "schemas/melmastoon.old.json: nothing generates it any more. Run make schemas"
    ]
    codegen.regenerate(tmp_path, [made])
    assert (old.exists(), kept.exists()) == (False, True)


def test_file_that_is_as_it_should_be_is_left_alone(tmp_path):
    made = generator({"a.json": "1\n"})
    codegen.regenerate(tmp_path, [made])
    (tmp_path / "a.json").chmod(0o444)
    before = (tmp_path / "a.json").stat().st_mtime_ns
    codegen.regenerate(tmp_path, [made])
    assert (tmp_path / "a.json").stat().st_mtime_ns == before


def test_imported_generate_does_not_make_a_module_a_generator(tmp_path):
    made = generator({"a.json": "1\n"})
    borrower = member("borrower", generate=made.generate)
    assert codegen.generated([borrower]) == {}


def test_members_are_found_without_being_listed():
    names = {module.__name__.rpartition(".")[2] for module in codegen.members()}
    assert {"event_schemas", "compatibility"} <= names
    assert "__main__" not in names


def test_gates_ask_every_module_that_has_problems(tmp_path):
    gate = member("gate", problems=lambda root: [f"{root.name}: bad"])
    assert codegen.gates(tmp_path, [gate, generator({})]) == [f"{tmp_path.name}: bad"]


@pytest.fixture
def written(tmp_path) -> Path:
    assert codegen.main(["--release"], tmp_path) == 0
    return tmp_path


def test_check_passes_on_what_was_written(written, capsys):
    assert codegen.main(["--check"], written) == 0
    assert capsys.readouterr().err == ""


def test_check_fails_names_the_file_and_writes_nothing(written, capsys):
    target = written / "schemas/catalogue.json"
    target.write_text("{}")
    assert codegen.main(["--check"], written) == 1
    assert capsys.readouterr().err == "schemas/catalogue.json: out of date. Run make schemas\n"
    assert target.read_text() == "{}"


@pytest.mark.parametrize("arguments", [[], ["--check"], ["--release"]])
def test_breaking_a_released_schema_stops_everything(arguments, written, capsys):
    released = written / "schemas/released/melmastoon.lock.credential.revoked.v1.json"
    released.write_text(released.read_text().replace('"lost",', '"lost", "stolen",'))
    before = released.read_text()
    assert codegen.main(arguments, written) == 1
    assert "data.reason lost the value 'stolen'" in capsys.readouterr().err
    assert released.read_text() == before


def test_committed_schemas_are_fresh():
    events = [module for module in codegen.members() if module.__name__.endswith("event_schemas")]
    assert list(codegen.drift(ROOT, events)) == []

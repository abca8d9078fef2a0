"""Write every generated file, or with `--check` say which are out of date: `python -m infra.codegen`.

A module of this package joins in by what it defines: `generate() -> {repository path: text}` makes files,
`OWNED` holds the globs whose other files are stale, `problems(root) -> [sentence]` is a gate to pass first.
"""

import argparse
import pkgutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Final

import infra.codegen
from infra.codegen import compatibility, telemetry_schemas

ROOT: Final = Path(__file__).parents[2]

Files = Mapping[Path, str]


def members() -> list[ModuleType]:
    """The modules of this package, by name."""
    names = sorted(found.name for found in pkgutil.iter_modules(infra.codegen.__path__))
    return [import_module(f"infra.codegen.{name}") for name in names if name != "__main__"]


def generated(modules: Iterable[ModuleType]) -> Files:
    """What all generators would write, by repository path."""
    return {
        path: text for module in modules if _generates(module) for path, text in module.generate().items()
    }


def _generates(module: ModuleType) -> bool:
    generate = getattr(module, "generate", None)
    return generate is not None and generate.__module__ == module.__name__


def stale(root: Path, modules: Iterable[ModuleType], files: Files) -> list[Path]:
    """Files that some generator owns and none writes any more."""
    globs = [glob for module in modules for glob in getattr(module, "OWNED", ())]
    found = {path.relative_to(root) for glob in globs for path in root.glob(glob)}
    return sorted(found - files.keys())


def drift(root: Path, modules: Sequence[ModuleType]) -> Iterator[str]:
    """Every generated file that is not as it would be written now, and what to do about it."""
    files = generated(modules)
    for path, text in sorted(files.items()):
        if not (root / path).exists():
            yield f"{path}: missing. Run make schemas"
        elif (root / path).read_text(encoding="utf-8") != text:
            yield f"{path}: out of date. Run make schemas"
    yield from (
        f"{path}: nothing generates it any more. Run make schemas" for path in stale(root, modules, files)
    )


def gates(root: Path, modules: Iterable[ModuleType]) -> list[str]:
    """What the gates among the modules object to."""
    return [problem for module in modules if hasattr(module, "problems") for problem in module.problems(root)]


def write(root: Path, files: Files) -> None:
    """Write the files that differ, and leave the others their modification time."""
    for path, text in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            target.write_text(text, encoding="utf-8")


def regenerate(root: Path, modules: Sequence[ModuleType]) -> None:
    """Write every generated file and delete the stale ones."""
    files = generated(modules)
    write(root, files)
    for path in stale(root, modules, files):
        (root / path).unlink()


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> int:
    """Write, check or release; the exit code says whether anything is wrong."""
    options = _options(arguments)
    modules = members()
    found = [*gates(root, modules), *(drift(root, modules) if options.check else ())]
    if found:
        sys.stderr.write("\n".join(found) + "\n")
        return 1
    if not options.check:
        regenerate(root, modules)
    if options.release:
        write(root, compatibility.release() | telemetry_schemas.release())
    return 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m infra.codegen", description="Write the generated files.")
    action = parser.add_mutually_exclusive_group()
    action.add_argument(
        "--check", action="store_true", help="write nothing; fail when something would change"
    )
    action.add_argument("--release", action="store_true", help="also freeze the produced schemas as released")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())

"""`keyfleet new-vendor CODE`: a vendor's adapter, simulator, function and tests, to be filled in.

The templates lie in `infra/codegen/vendor`, each where its file will lie. What only the vendor's pages can
say is left unfinished in so many words: until it is said, the new tests fail, and so does a gate.
"""

from collections.abc import Iterator
from pathlib import Path
from string import Template
from typing import Final

from shared.domain.kinds import VendorCode

TEMPLATES: Final = Path(__file__).parent / "vendor"
MODULE, SUFFIX = "MODULE", ".txt"
UNFINISHED: Final = "raise NotImplemented" + "Error"
ADAPTER_LINES, SIMULATOR_LINES = 600, 700
"""What a plain vendor's adapter and simulator may have; a gate holds both."""


class VendorExists(Exception):
    """Some of the files are there already: nothing was written."""


def scaffold(code: VendorCode, name: str, root: Path) -> list[Path]:
    """Write a vendor's files below a checkout; return which."""
    files = dict(_files(code, name))
    there = [path for path in files if (root / path).exists()]
    if there:
        raise VendorExists(", ".join(map(str, there)))
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return [*files]


def unfinished(code: VendorCode, root: Path) -> list[str]:
    """Return what is still to be said of a vendor, as `path:line: what`."""
    paths = [path for path, _ in _files(code, code) if path.suffix == ".py" and (root / path).exists()]
    lines = ((path, (root / path).read_text(encoding="utf-8").splitlines()) for path in paths)
    return [
        f"{path}:{number}: {line.partition(UNFINISHED)[2].strip('()')}"
        for path, text in lines
        for number, line in enumerate(text, start=1)
        if UNFINISHED in line
    ]


def _files(code: VendorCode, name: str) -> Iterator[tuple[Path, str]]:
    module = code.replace("-", "_")
    words = {"code": code, "module": module, "name": name, "unfinished": UNFINISHED}
    words["klass"] = "".join(part.capitalize() for part in code.split("-"))
    for template in sorted(TEMPLATES.rglob(f"*{SUFFIX}")):
        path = str(template.relative_to(TEMPLATES)).removesuffix(SUFFIX).replace(MODULE, module)
        yield Path(path), Template(template.read_text(encoding="utf-8")).substitute(words)

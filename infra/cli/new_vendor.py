"""`keyfleet new-vendor CODE`: begin a vendor of your own in this checkout."""

from typing import Annotated

import typer

from infra.cli.answer import Answer, counted, line, plain
from infra.cli.problems import Refused

Code = Annotated[str, typer.Argument(help="Its code, such as acme-locks: small letters, digits, hyphens.")]
Name = Annotated[str | None, typer.Option(help="What it calls itself; unless given, the code.")]


def new_vendor(code: Code, name: Name = None) -> Answer:
    """Write the folders of a vendor's adapter, simulator, function and tests, to be filled in."""
    from infra.codegen.new_vendor import ADAPTER_LINES, SIMULATOR_LINES, VendorExists, scaffold, unfinished
    from infra.manifest.load import ROOT
    from shared.domain.errors import InvalidInput
    from shared.domain.kinds import VendorCode

    try:
        vendor = VendorCode(code)
        written = [str(path) for path in scaffold(vendor, name or code, ROOT)]
    except InvalidInput as refusal:
        raise Refused(f"{refusal.field}: {refusal.problem}", refusal.remedy) from None
    except VendorExists as there:
        raise Refused(f"there is already {there}", "choose another code, or delete those") from None
    left = unfinished(vendor, ROOT)
    said = (
        line(plain(f"{counted(len(written), 'file')} written", "bold green"), "; to be filled in:"),
        *(line(f"  {each}") for each in left),
        line(f"  At most {ADAPTER_LINES} lines of adapter and {SIMULATOR_LINES} of simulator, a gate says."),
        line("  CONTRIBUTING.md, under Add a vendor, says what else; then make format and make schemas."),
    )
    return Answer({"written": written, "unfinished": left}, said)

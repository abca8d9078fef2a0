"""`keyfleet verify`: an audit pack against the keys that its reader trusts, without any fleet."""

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from infra.cli.answer import Answer, counted, line, plain
from infra.cli.inputs import read_text
from infra.cli.problems import Refused

Pack = Annotated[Path, typer.Argument(help="The pack, as it was handed out.")]
Policy = Annotated[
    Path, typer.Option(help="The keys you trust (c2sp.org/tlog-policy), had by another way than the pack.")
]


def verify(pack: Pack, policy: Policy) -> Answer:
    """Check a pack: nothing changed, nothing missing, anchored and witnessed; say what fails and where."""
    from infra.verifier.verify_pack import verify as verify_pack

    report = verify_pack(_content(pack), read_text(policy, "--policy"))
    facts = {"verifies": not report.failures, **report._asdict()}
    failed = tuple(line(plain("✗ ", "red"), each) for each in report.failures)
    noted = tuple(line(plain("! ", "yellow"), each) for each in report.remarks)
    return Answer(
        facts, (*noted, *failed, _verdict(report.failures, report.checked)), int(bool(report.failures))
    )


def _verdict(failures: list[str], checked: dict[str, int]) -> Text:
    if failures:
        return line(plain("✗ ", "red"), f"The pack does not verify: {counted(len(failures), 'failure')}.")
    anchors, entries = counted(checked["anchors"], "anchor"), checked["entries"]
    told = f"{entries} entries under {anchors}, {checked['bodies']} with their bodies"
    return line(plain("✓ ", "green"), f"The pack verifies: {told}.")


def _content(pack: Path) -> bytes:
    try:
        return pack.read_bytes()
    except OSError as error:
        raise Refused(f"cannot read {pack}: {error.strerror}", "check the path") from None

"""The command: every check in order, each told as it is made."""

from collections.abc import Iterator
from typing import Annotated

import typer
from rich.text import Text

from infra.cli.address import FleetAddress
from infra.cli.answer import Answer, Telling, counted, plain
from infra.cli.doctor import doors, fleet, home, keys, machine
from infra.cli.doctor.finding import Finding, Verdict
from infra.cli.doctor.fleet import Answering
from infra.cli.polling import Patience
from infra.cli.problems import Unreachable
from infra.local.ambient import SystemClock, SystemEntropy

Probe = Annotated[bool, typer.Option("--probe", help="Send a probe through the running fleet as well.")]


def doctor(at: FleetAddress, probe: Probe = False) -> Telling:
    """Check everything the fleet stands on; each failing check names its remedy."""
    answering, findings = fleet.listen_in(at), []
    for finding in _findings(at, answering, probe=probe):
        findings.append(finding)
        yield finding.said()
    return _answer(at, answering, findings)


def _findings(at: FleetAddress, answering: Answering, *, probe: bool) -> Iterator[Finding]:
    yield machine.check_python()
    yield machine.check_disk(at.home)
    yield machine.check_clock(at.home, SystemClock().now())
    yield home.check_home(at)
    yield keys.check_keys(at)
    status = answering.status
    yield home.check_database(at, running=status is not None, refusing=(status or {}).get("refusing"))
    yield from home.check_room((status or {}).get("no_room"))
    yield home.check_losses(at)
    yield fleet.check_manifest()
    yield fleet.check_workflows()
    yield fleet.check_port(at, answering)
    yield fleet.check_letters(at, answering)
    yield fleet.check_executions(at, answering)
    yield fleet.check_failed_keys(at, answering)
    yield fleet.check_stays(at, answering)
    yield fleet.check_arrivals(at, answering)
    yield fleet.check_residues(at, answering)
    yield fleet.check_anchors(at, answering)
    yield from fleet.check_findings(at, answering)
    yield from doors.check_doors(at)
    yield machine.check_emulators()
    if probe:
        yield _probed(at, answering)


def _probed(at: FleetAddress, answering: Answering) -> Finding:
    if not answering.listening:
        return fleet.unsent_probe(at)
    return fleet.check_by_probe(at, Patience(), SystemEntropy().token(10).hex())


def _answer(at: FleetAddress, answering: Answering, findings: list[Finding]) -> Answer:
    exit_code = _exit_code(at, answering, findings)
    facts = {
        "healthy": exit_code == 0,
        "running": answering.status is not None,
        "checks": [finding.described() for finding in findings],
    }
    return Answer(facts, (_verdict(answering, findings),), exit_code)


def _exit_code(at: FleetAddress, answering: Answering, findings: list[Finding]) -> int:
    if _count(findings, Verdict.FAILED):
        return 1
    unsent = any(finding.check == fleet.PROBE for finding in findings) and not answering.listening
    return Unreachable.exit_code if unsent or fleet.is_missing(at, answering) else 0


def _verdict(answering: Answering, findings: list[Finding]) -> Text:
    if failed := _count(findings, Verdict.FAILED):
        return plain(f"{failed} of {counted(len(findings), 'check')} failed.", "bold red")
    if warnings := _count(findings, Verdict.WARNING):
        return plain(f"No check failed; {counted(warnings, 'warning')}.", "bold yellow")
    if answering.status is None:
        return plain("Nothing is wrong, and no fleet runs here yet.", "bold")
    return plain("All is well.", "bold green")


def _count(findings: list[Finding], verdict: Verdict) -> int:
    return sum(finding.verdict is verdict for finding in findings)

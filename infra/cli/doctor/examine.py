"""The command: every check in order, each told as it is made."""

from collections.abc import Iterator
from typing import Annotated

import typer
from rich.text import Text

from infra.cli.answer import Answer, Telling, counted, plain
from infra.cli.doctor import fleet, home, keys, machine
from infra.cli.doctor.finding import Finding, Verdict
from infra.cli.patience import Patience
from infra.cli.place import Place
from infra.local.ambient import SystemClock, SystemEntropy

Probe = Annotated[bool, typer.Option("--probe", help="Send a probe through the running fleet as well.")]


def doctor(at: Place, probe: Probe = False) -> Telling:
    """Check everything the fleet stands on; each failing check names its remedy."""
    findings = []
    for finding in _findings(at, probe=probe):
        findings.append(finding)
        yield finding.said()
    return _answer(findings)


def _findings(at: Place, *, probe: bool) -> Iterator[Finding]:
    answering = fleet.listen_in(at)
    yield machine.check_python()
    yield machine.check_disk(at.home)
    yield machine.check_clock(at.home, SystemClock().now())
    yield home.check_home(at)
    yield keys.check_keys(at)
    yield home.check_database(at, running=answering.status is not None)
    yield home.check_losses(at)
    yield fleet.check_manifest()
    yield fleet.check_workflows()
    yield fleet.check_port(at, answering)
    yield fleet.check_letters(at, answering)
    yield fleet.check_executions(at, answering)
    yield fleet.check_failed_keys(at, answering)
    yield fleet.check_residues(at, answering)
    yield machine.check_emulators()
    if probe:
        yield fleet.check_by_probe(at, Patience(), SystemEntropy().token(10).hex())


def _answer(findings: list[Finding]) -> Answer:
    failed = [finding for finding in findings if finding.verdict is Verdict.FAILED]
    facts = {"healthy": not failed, "checks": [finding.described() for finding in findings]}
    return Answer(facts, (_verdict(findings, len(failed)),), 1 if failed else 0)


def _verdict(findings: list[Finding], failed: int) -> Text:
    if failed:
        return plain(f"{failed} of {counted(len(findings), 'check')} failed.", "bold red")
    warnings = sum(finding.verdict is Verdict.WARNING for finding in findings)
    if warnings:
        return plain(f"No check failed; {counted(warnings, 'warning')}.", "bold yellow")
    return plain("All is well.", "bold green")

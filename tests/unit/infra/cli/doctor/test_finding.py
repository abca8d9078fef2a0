"""A finding, said and described."""

from infra.cli.doctor.finding import Finding, Verdict


def test_a_finding_is_said_with_its_remedy_below():
    found = Finding("disk", Verdict.FAILED, "only 0.1 GiB free", "free some space")
    assert str(found.said()) == "✗ disk: only 0.1 GiB free\n  fix: free some space"


def test_a_finding_without_remedy_is_one_line():
    assert str(Finding("python", Verdict.OK, "3.11.7").said()) == "✓ python: 3.11.7"


def test_a_finding_is_described_in_plain_values():
    assert Finding("python", Verdict.OK, "3.11.7").described() == {
        "check": "python",
        "verdict": "ok",
        "detail": "3.11.7",
        "remedy": "",
    }

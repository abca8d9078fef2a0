"""keyfleet new-vendor: what it refuses; what it writes is held by tests/e2e/test_new_vendor.py."""

from typer.testing import CliRunner

from infra.cli.main import app


def test_code_that_is_none_is_refused_with_what_is_wrong_and_what_one_is():
    refused = CliRunner().invoke(app, ["new-vendor", "Acme Locks"])
    assert refused.exit_code == 2
    assert "error: vendor: not a vendor code" in refused.stderr
    assert "fix: Give 2 to 20 lower-case letters" in refused.stderr

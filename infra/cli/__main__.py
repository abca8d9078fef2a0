"""`python -m infra.cli` is `keyfleet`."""

from infra.cli.main import main

main()

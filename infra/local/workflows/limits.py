"""The published limits of Google Cloud Workflows, and the few of our own that keep hostile input harmless."""

from typing import Final

SOURCE_BYTES: Final = 128 * 1024
EXPRESSION_CHARACTERS: Final = 400
ASSIGNMENTS_PER_STEP: Final = 50
CONDITIONS_PER_SWITCH: Final = 50
BRANCHES_PER_STEP: Final = 10
PARALLEL_NESTING: Final = 2
CONCURRENT_BRANCHES: Final = 20
BRANCH_ERRORS: Final = 100
CALL_DEPTH: Final = 20
STEPS: Final = 100_000
ARGUMENT_BYTES: Final = 32 * 1024
VARIABLE_BYTES: Final = 512 * 1024
STRING_BYTES: Final = 256 * 1024
RESPONSE_BYTES: Final = 2 * 1024 * 1024
HTTP_TIMEOUT_SECONDS: Final = 300
HTTP_TIMEOUT_MAXIMUM: Final = 1_800
CALLBACK_TIMEOUT_SECONDS: Final = 43_200
SLEEP_MAXIMUM_SECONDS: Final = 365 * 24 * 3_600
LARGEST_INTEGER: Final = 2**63 - 1
SMALLEST_INTEGER: Final = -(2**63)

# Ours: Google publishes no number for these.
SOURCE_DEPTH: Final = 80
SOURCE_NODES: Final = 50_000
EXPRESSION_DEPTH: Final = 40
VALUE_DEPTH: Final = 100

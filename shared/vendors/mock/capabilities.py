"""What a mock enforces: every window, for it keeps time by our own clock."""

from typing import Final

from shared.domain.kinds import KeyCredentialKind

ACCOUNT_DAYS: Final = None
"""Its account holds no secret: there is nothing to rotate."""
UNENFORCED: Final[frozenset[KeyCredentialKind]] = frozenset()

"""What a mock enforces: every window, for it keeps time by our own clock."""

from typing import Final

from shared.domain.kinds import KeyCredentialKind

UNENFORCED: Final[frozenset[KeyCredentialKind]] = frozenset()

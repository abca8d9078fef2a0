"""What can go wrong with a desk's ledger, and what to do about it."""


class LedgerError(Exception):
    """The root of what the ledger raises; it holds no key, no reference and no content."""


class LedgerUnencrypted(LedgerError):
    """The library or the file does not encrypt: nothing is written."""


class LedgerSealed(LedgerError):
    """The file does not open with this key."""


class LedgerBusy(LedgerError):
    """Another process has the ledger: two writers would lose rows."""


class StaleKey(LedgerError):
    """The key was changed by another step since it was read."""


class UnknownWork(LedgerError):
    """Work is finished that was never begun, or is over."""


class ChainBroken(LedgerError):
    """A row of the outbox was altered, removed or put in: `sequence` says where it shows."""

    def __init__(self, sequence: int, problem: str) -> None:
        super().__init__(f"row {sequence}: {problem}: keep the file and tell security")
        self.sequence = sequence

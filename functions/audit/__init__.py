"""The audit log: closed each day, witnessed, shown, and in the end silent about who it was."""

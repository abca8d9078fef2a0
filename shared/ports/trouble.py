"""A platform's passing trouble: nothing is wrong with what was asked, and asking again will do."""


class ServiceTrouble(Exception):
    """A service of the platform did not answer, or cannot now; it may have done what was asked."""

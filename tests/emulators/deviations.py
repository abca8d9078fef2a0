"""Where Google's emulators are known to differ from Google Cloud: data, so that it can be read and checked.

A guarantee named here is not asked of the emulator. We keep it by means of our own, which the entry names.
Its test must still fail on the emulator: once it does not, the entry has to go.
"""

DOCUMENTS = {
    "test_a_commit_may_have_ten_megabytes_and_no_byte_more": (
        "the emulator takes requests of 4 MiB, Firestore of 10 MiB: a unit test measures our largest request"
    ),
}
BUS = {
    "test_a_filter_lets_only_what_matches_through": (
        "the emulator takes a filter and ignores it: the embedded bus parses and applies the same filters"
    ),
    "test_what_never_succeeds_in_order_ends_in_the_dead_letter_topic": (
        "the emulator drops the dead letters of an ordered subscription: asked of it without order"
    ),
    "test_a_push_says_its_ordering_key": (
        "the emulator leaves it out of the push: decoding is tested on the envelope as Google documents it"
    ),
    "test_a_push_that_may_be_dead_lettered_says_its_attempt": (
        "the emulator leaves it out of the push: decoding is tested on the envelope as Google documents it"
    ),
    "test_a_push_proves_who_pushes": (
        "the emulator sends no token: the check of tokens is tested with keys of our own"
    ),
}


def without(contract, deviations):
    """Return the contract without the guarantees that an emulator cannot show."""
    unknown = [name for name in deviations if not hasattr(contract, name)]
    assert unknown == [], f"no such guarantees: {unknown}"
    return type(contract.__name__, (contract,), dict.fromkeys(deviations))

"""Where Google's emulators are known to differ from Google Cloud: data, so that it can be read and checked.

A guarantee named here is not asked of the emulator. We keep it by means of our own, which the entry names.
Its test must still fail on the emulator: once it does not, the entry has to go.
"""

DOCUMENTS = {
    "test_a_commit_may_have_ten_megabytes_and_no_byte_more": (
        "the emulator takes requests of 4 MiB, Firestore of 10 MiB: a unit test measures our largest request"
    ),
}


def without(contract, deviations):
    """Return the contract without the guarantees that an emulator cannot show."""
    unknown = [name for name in deviations if not hasattr(contract, name)]
    assert unknown == [], f"no such guarantees: {unknown}"
    return type(contract.__name__, (contract,), dict.fromkeys(deviations))

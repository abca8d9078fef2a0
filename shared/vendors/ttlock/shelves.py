"""The kinds of key TTLock keeps at a lock, and the endpoints that tend each."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from shared.domain.kinds import KeyCredentialKind
from shared.domain.secret import Secret
from shared.ports.lock_causes import PIN_TAKEN
from shared.vendor_kit.refusals import UNEXPLAINED, Meaning
from shared.vendors.ttlock import api
from shared.vendors.ttlock.api import Addition, Ask, Page, Row
from shared.vendors.ttlock.windows import Bounds


@dataclass(frozen=True, slots=True)
class Shelf:
    """How keys of one kind are tended; `computing` makes one that the lock need not be told of.

    `windowed` keys open within their window and not outside it. `resting` ones are suspended where they are.
    Of a card, and of an account's eKey, a lock has one, which a second key would take over or delete:
    `names_of` tells whose it is, and `taken` is the answer to others. Where numbers do not last, the same one
    may be another key's by now.
    """

    listing: Callable[[str, str, int], Ask[Page[Row]]]
    adding: Callable[[Addition], Ask[Secret[str]]]
    changing: Callable[[str, Secret[str], Bounds], Ask[None]]
    deleting: Callable[[str, Secret[str]], Ask[None]]
    computing: Callable[[str, str, Bounds], Ask[Row]] | None = None
    windowed: bool = True
    resting: bool = False
    lasting: bool = True
    names_of: Callable[[str, Secret[str], int], Ask[Page[str]]] | None = None
    taken: Meaning = UNEXPLAINED


SHELVES: Final[Mapping[KeyCredentialKind, Shelf]] = {
    KeyCredentialKind.PIN_CODE: Shelf(
        api.list_passcodes, api.add_passcode, api.change_passcode, api.delete_passcode, api.compute_passcode
    ),
    KeyCredentialKind.RFID_CARD: Shelf(
        api.list_cards,
        api.add_card,
        api.change_card,
        api.delete_card,
        lasting=False,
        names_of=api.list_names_of_card,
        taken=Meaning(PIN_TAKEN),
    ),
    KeyCredentialKind.MOBILE_APP: Shelf(
        api.list_ekeys,
        api.send_ekey,
        api.change_ekey,
        api.delete_ekey,
        windowed=False,
        resting=True,
        names_of=api.list_names_of_receiver,
        taken=Meaning("receiver_refused", permanent=True),
    ),
}

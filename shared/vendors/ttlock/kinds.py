"""The kinds of key TTLock keeps at a lock, and the endpoints that tend each."""

from collections.abc import Mapping
from datetime import timedelta
from functools import partial
from typing import Final

from shared.domain.kinds import KeyCredentialKind
from shared.ports.lock_causes import LockCause
from shared.vendor_kit.asks import Computing, KindEndpoints
from shared.vendor_kit.refusals import Meaning
from shared.vendors.ttlock import api
from shared.vendors.ttlock.api import NUMBER
from shared.vendors.ttlock.errors import WINDOW_TAKEN
from shared.vendors.ttlock.inventory import clock_ahead

COMPUTED: Final = Computing(
    api.compute_passcode,
    clock_ahead,
    WINDOW_TAKEN,
    use_within=timedelta(hours=24),
    longest=timedelta(days=365),
)
KINDS: Final[Mapping[KeyCredentialKind, KindEndpoints]] = {
    KeyCredentialKind.PIN_CODE: KindEndpoints(
        api.list_passcodes,
        api.add_passcode,
        api.change_passcode,
        api.delete_passcode,
        computing=COMPUTED,
        refs=NUMBER,
        all_keys=api.EVERY_PASSCODE,
        noting=partial(api.add_passcode, way=api.PHONE),
        forgetting=partial(api.delete_passcode, way=api.PHONE),
    ),
    KeyCredentialKind.RFID_CARD: KindEndpoints(
        api.list_cards,
        api.add_card,
        api.change_card,
        api.delete_card,
        refs=NUMBER,
        lasting=False,
        names_of=api.list_names_of_card,
        taken=Meaning(LockCause.PIN_TAKEN),
        all_keys=api.EVERY_CARD,
    ),
    KeyCredentialKind.MOBILE_APP: KindEndpoints(
        api.list_ekeys,
        api.send_ekey,
        api.change_ekey,
        api.delete_ekey,
        refs=NUMBER,
        windowed=False,
        resting=api.freeze_ekey,
        waking=api.unfreeze_ekey,
        names_of=api.list_names_of_receiver,
        taken=Meaning(LockCause.RECEIVER_REFUSED, permanent=True),
        all_keys=api.EVERY_EKEY,
    ),
}

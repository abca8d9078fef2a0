"""The contracts' setting at Salto: phones, a connector in the hotel, doors with a line or without."""

from dataclasses import replace

from shared.domain.kinds import KeyCredentialKind
from shared.domain.secret import Secret
from shared.runtime.indexes import INDEXES
from tests.contract.lock.setting import ABLE, MOBILE_APP
from tests.contract.lock.simulated_setting import SimulatedSetting
from tests.support.vendors import SALTO

PHONE, OTHER_PHONE = "+93700000001", "+93700000002"


class SaltoSetting(SimulatedSetting):
    """Simulated doors, all of them with a line."""

    vendor_code = SALTO
    address = "https://test.saltosystems.com"
    kind, secret, other_secret = MOBILE_APP, PHONE, OTHER_PHONE
    app_account, indexes, written_at_the_desk = PHONE, INDEXES, (KeyCredentialKind.RFID_CARD,)
    one_key_for_a_secret = False
    online = True

    def hotel(self):
        """Return the usual hotel, with lines to its doors or none."""
        hotel = super().hotel()
        doors = tuple(lock.model_copy(update={"online": self.online}) for lock in hotel.locks)
        return hotel.model_copy(update={"locks": doors})

    def refused_key(self):
        """Return a key to something that is no phone."""
        return self.key("second", secret=Secret("guest@example.org"))

    def secret_of(self, number):
        """Return one of several guests' phones."""
        return f"+9370000010{number}"


class OfflineSaltoSetting(SaltoSetting):
    """Simulated doors without a line."""

    online = False
    able = replace(ABLE, remote_revoke=False)

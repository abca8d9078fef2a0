"""The contracts' setting at Assa Abloy: guests with the vendor's app, and an environment in its cloud."""

from dataclasses import replace

from infra.simulators.assa_abloy.hotel import PHONE, ClientPlan, operator_at
from shared.domain.secret import Secret
from tests.contract.lock.setting import ABLE, GUEST_ACCOUNT, MOBILE_APP
from tests.contract.lock.simulated_setting import SimulatedSetting
from tests.support.vendors import ASSA_ABLOY

OTHER_GUEST, STRANGER = "other@example.org", "stranger@example.org"


class VostioSetting(SimulatedSetting):
    """Simulated online locks, told by the vendor's cloud."""

    vendor_code = ASSA_ABLOY
    address = "https://test.vostio.assaabloy.com"
    kind, secret, other_secret = MOBILE_APP, GUEST_ACCOUNT, OTHER_GUEST
    able = replace(ABLE, nfc=True)
    one_key_for_a_secret = False

    def hotel(self):
        """Return the usual hotel, where more guests have the app, and any number of calls may be made."""
        phones = (PHONE, OTHER_GUEST, *map(self.secret_of, range(8)))
        client = ClientPlan(calls_per_second=None)
        return super().hotel().model_copy(update={"phones": phones, "client": client})

    def refused_key(self):
        """Return a key to somebody who does not have the app."""
        return self.key("second", secret=Secret(STRANGER))

    def secret_of(self, number):
        """Return one of several guests' accounts."""
        return f"guest{number}@example.org"


class VisionlineSetting(VostioSetting):
    """Simulated offline locks, and the server in the hotel that puts keys on phones."""

    address = "https://visionline.hotel.example"
    adding = "visionline/add"

    def __init__(self, folder, **options):
        super().__init__(folder, **options)
        self.account = operator_at(self.address)

"""dormakaba's cards keep every promise, with a simulated desk, in both of its dialects."""

import pytest

from shared.domain.errors import InvalidInput
from shared.domain.kinds import KeyCredentialKind, VendorCode
from tests.contract.lock.carried_port_suite import DeskPortContract
from tests.contract.lock.desk_setting import DeskSetting
from tests.contract.lock.desk_suite import DeskContract


class SaflokSetting(DeskSetting):
    """A hotel with a lock system on its network."""

    vendor_code = VendorCode("dormakaba")
    dialect = "saflok"


class KabaSetting(SaflokSetting):
    """A hotel with an older one on a serial line."""

    dialect = "kaba"


@pytest.fixture(params=[SaflokSetting, KabaSetting], ids=lambda kind: kind.__name__)
async def setting(tmp_path, request):
    async with request.param(tmp_path) as setting:
        yield setting


class TestDormakaba(DeskContract):
    """Cards that a lock system writes."""


class TestDormakabaPort(DeskPortContract):
    """The LockPort of such lock systems."""


async def test_a_job_says_in_which_dialect_its_card_is_written(setting):
    await setting.pulled()
    await setting.vendor.place_all(setting.keys())
    assert [job.dialect for job in await setting.pulled()] == [setting.dialect]


async def test_phones_and_tags_are_not_offered(setting):
    able = setting.vendor.describe_adapter().capabilities
    assert [kind for kind in KeyCredentialKind if able.supports(kind)] == [KeyCredentialKind.RFID_CARD]


async def test_what_is_public_nowhere_is_not_spoken(setting):
    setting.dialect = "ambiance"
    with pytest.raises(InvalidInput, match=r"account\.dialect"):
        setting.make_vendor()

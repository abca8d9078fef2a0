"""What a LockPort over locks says beyond its contract."""

import pytest

from shared.domain.kinds import RevokeReason
from shared.domain.lock_errors import KeyRevokeFailed
from shared.vendor_kit.kept_key import id_for
from shared.vendor_kit.lock_by_lock import LockByLock
from tests.contract.lock.mock_setting import MockSetting


class Overtaken(LockByLock):
    """Writes down what it read, which somebody else has changed meanwhile."""

    async def _kept(self, key):
        found = await self._book.find(key.id)
        await self._book.keep(found)
        return await super()._kept(key)


async def test_revocation_that_was_overtaken_is_a_failed_revocation(tmp_path):
    async with MockSetting(tmp_path) as setting:
        await setting.port.issue_credential(setting.request())
        setting.port_kind = Overtaken
        with pytest.raises(KeyRevokeFailed) as caught:
            await setting.port.revoke_credential(id_for("claim-1"), RevokeReason.CHECKOUT, "revoke-1")
        assert (caught.value.cause.kind, caught.value.permanent) == ("changed_meanwhile", False)

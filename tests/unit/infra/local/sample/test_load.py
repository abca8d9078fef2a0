"""The sample hotel: it moves in whole, once, and nothing it brings is lost by a restart."""

import pytest

from infra.local.sample.load import SAMPLE, move_in, read_sample
from shared.domain.documents import from_document
from shared.domain.ids import TenantId
from shared.domain.premises import LockDevice, Property
from shared.ports.documents import Ref
from tests.support.simulated import play


def test_the_sample_is_a_guesthouse_in_kabul_with_ttlocks():
    hotel = read_sample()
    assert hotel.property.zone == "Asia/Kabul"
    assert {device.vendor for device in hotel.devices} == {"ttlock"}
    assert {room for device in hotel.devices for room in device.rooms} == {room.id for room in hotel.rooms}


def test_a_file_is_read_once_and_again_when_it_has_changed(tmp_path):
    file = tmp_path / "hotel.yaml"
    file.write_text(SAMPLE.read_text())
    assert read_sample(file) is read_sample()
    file.write_text(SAMPLE.read_text().replace("Asia/Kabul", "Asia/Dubai"))
    assert (read_sample(file).property.zone, read_sample().property.zone) == ("Asia/Dubai", "Asia/Kabul")


def test_what_is_read_once_for_all_cannot_be_changed_by_one():
    with pytest.raises(TypeError):
        read_sample().policy["version"] = 2


def test_every_part_can_be_read_back(tmp_path):
    async def scenario(on):
        store = on.fleet.documents.tenant(TenantId("tnt_silk"))
        return [(await store.get(ref)).data for ref, _ in read_sample().documents()]

    for (_, part), data in zip(read_sample().documents(), play(tmp_path, scenario), strict=True):
        assert from_document(type(part), data) == part


def test_moving_in_again_changes_nothing(tmp_path):
    async def scenario(on):
        store = on.fleet.documents.tenant(TenantId("tnt_silk"))
        refs = [ref for ref, _ in read_sample().documents()] + [Ref("policies", "tenant")]
        before = [(await store.get(ref)).version for ref in refs]
        await move_in(read_sample(), on.fleet.documents, on.fleet.means.clock.now())
        return before, [(await store.get(ref)).version for ref in refs]

    before, after = play(tmp_path, scenario)
    assert before == after


def test_locks_name_their_vendors_own_device():
    assert len({device.vendor_device for device in read_sample().devices}) == 5
    assert isinstance(read_sample().devices[0], LockDevice)
    assert isinstance(read_sample().property, Property)

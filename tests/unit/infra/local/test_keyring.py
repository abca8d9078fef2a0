"""The key file: made once and whole, kept from others, never made anew behind anybody's back."""

import stat
import traceback
from pathlib import Path

import pytest

from infra.local.ambient import SeededEntropy
from infra.local.keyfile import KeyFileRefused
from infra.local.keyring import Keyring, open_keyring
from shared.domain.errors import InvalidInput
from tests.contract.cipher.setting import PIN, Setting, local_cipher


@pytest.fixture
def path(tmp_path):
    return tmp_path / "home" / "keys"


@pytest.fixture
async def setting(tmp_path):
    async with Setting(tmp_path, local_cipher, threaded=False) as setting:
        yield setting


def keyring_at(path, seed=1):
    """Open a key file with chance of its own."""
    return Keyring(path, SeededEntropy(seed))


def test_keys_are_the_same_when_the_file_is_opened_again(path):
    first = keyring_at(path)
    keys = [first.newest(purpose) for purpose in ("lock-config", "vendor-ref-salto")]
    second = keyring_at(path, seed=2)
    assert second.id == first.id
    assert [second.newest(purpose) for purpose in ("lock-config", "vendor-ref-salto")] == keys


def test_each_purpose_has_a_key_of_its_own(path):
    keyring = keyring_at(path)
    keys = [keyring.newest(f"purpose-{number}") for number in range(5)]
    assert len({key.id for key in keys}) == len({key.material.reveal() for key in keys}) == 5
    assert {len(key.material.reveal()) for key in keys} == {32}


def test_a_rotation_adds_a_version_and_keeps_the_old(path):
    keyring = keyring_at(path)
    first = keyring.newest("lock-config")
    assert keyring.rotate("lock-config") == 2
    second = keyring.newest("lock-config")
    assert (second.id, second.version) == (first.id, 2)
    assert second.material != first.material
    assert keyring.find("lock-config", first.id, 1) == first


def test_the_first_rotation_makes_the_first_key(path):
    assert keyring_at(path).rotate("lock-config") == 1


def test_what_another_process_added_is_found_and_not_overwritten(path):
    ours, theirs = keyring_at(path), keyring_at(path, seed=2)
    key = ours.newest("lock-config")
    theirs.rotate("lock-config")
    fresh = theirs.newest("lock-config")
    assert ours.find("lock-config", key.id, 2) == fresh
    ours.newest("vendor-ref-salto")
    assert keyring_at(path).newest("lock-config") == fresh


def test_an_unknown_key_is_not_found(path):
    keyring = keyring_at(path)
    key = keyring.newest("lock-config")
    assert keyring.find("lock-config", b"\0" * 8, 1) is None
    assert keyring.find("lock-config", key.id, 2) is None
    assert keyring.find("lock-config", key.id, 0) is None
    assert keyring.find("vendor-ref-salto", key.id, 1) is None


def test_the_file_is_for_its_owner_alone(path):
    keyring = keyring_at(path)
    keyring.rotate("lock-config")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o666])
def test_a_file_others_may_read_is_refused_with_a_remedy(path, mode):
    keyring_at(path)
    path.chmod(mode)
    with pytest.raises(KeyFileRefused, match="chmod 600"):
        keyring_at(path)


def test_a_damaged_file_is_refused_wherever_the_damage_is(path):
    keyring_at(path).newest("lock-config")
    content = path.read_bytes()
    for place in range(len(content) - 1):
        path.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        with pytest.raises(KeyFileRefused, match=r"^keys is damaged\. Restore its backup"):
            keyring_at(path)


def test_a_short_file_is_refused_and_left_as_it_is(path):
    keyring_at(path).newest("lock-config")
    content = path.read_bytes()
    for length in range(len(content) - 1):
        path.write_bytes(content[:length])
        with pytest.raises(KeyFileRefused):
            keyring_at(path)
        assert path.read_bytes() == content[:length]


def test_a_change_that_dies_half_way_leaves_the_old_file(path, monkeypatch):
    keyring = keyring_at(path)
    key = keyring.newest("lock-config")

    def dies(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", dies)
        with pytest.raises(KeyboardInterrupt):
            keyring.rotate("lock-config")
    assert keyring.newest("lock-config") == keyring_at(path).newest("lock-config") == key
    assert keyring.rotate("lock-config") == 2


@pytest.mark.parametrize("purpose", ["", "a", "A-b", "../x", "a b", "x" * 64, "a\n"])
def test_a_malformed_purpose_is_refused(path, purpose):
    with pytest.raises(InvalidInput, match="purpose"):
        keyring_at(path).newest(purpose)


def test_no_key_is_printed(path):
    keyring = keyring_at(path)
    key = keyring.newest("lock-config")
    shown = f"{keyring!r}{key!r}{key}{vars(keyring)}"
    assert key.material.reveal().hex() not in shown
    assert repr(key.material.reveal()) not in shown


def test_a_traceback_with_its_variables_shows_no_key(path):
    key = keyring_at(path).newest("lock-config")
    path.write_bytes(path.read_bytes().replace(b'"ring"', b'"rung"'))
    with pytest.raises(KeyFileRefused) as refused:
        keyring_at(path)
    shown = "".join(traceback.TracebackException.from_exception(refused.value, capture_locals=True).format())
    assert "_read(" in shown
    assert key.material.reveal().hex() not in shown


async def test_a_lost_file_is_not_made_anew_once_something_was_sealed(setting):
    await setting.seal()
    (setting.folder / "keys").unlink()
    for _ in range(2):
        with pytest.raises(KeyFileRefused, match="keys is missing, and the database holds what it sealed"):
            open_keyring(setting.folder / "keys", setting.entropy, setting.engine)
    assert not (setting.folder / "keys").exists()


async def test_a_lost_file_is_made_anew_while_nothing_was_sealed(setting):
    (setting.folder / "keys").unlink()
    open_keyring(setting.folder / "keys", setting.entropy, setting.engine)
    assert (setting.folder / "keys").exists()


async def test_the_file_of_another_database_is_refused(setting, path):
    await setting.seal()
    keyring_at(path, seed=99).newest(PIN.purpose)
    with pytest.raises(KeyFileRefused, match="is not the one that sealed what the database holds"):
        open_keyring(path, setting.entropy, setting.engine)


async def test_a_loss_that_is_accepted_begins_with_new_keys(setting):
    sealed = await setting.seal()
    (setting.folder / "keys").unlink()
    setting.subject = type(setting.subject).at(
        setting.folder / "keys", setting.entropy, setting.engine, accept_loss=True
    )
    fresh = await setting.seal()
    assert sealed[:16] != fresh[:16]
    await setting.reopen()
    assert await setting.open_field(fresh) == b"4711"

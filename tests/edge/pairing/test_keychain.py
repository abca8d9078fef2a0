"""Keychains are tried before they are trusted, and a desk's keys are made once and forgotten whole."""

import pytest

from edge_agent.ledger.ledger import DeskLedger
from edge_agent.pairing.device_keys import DEVICE_KEY, LEDGER_KEY, forget_keys, held_keys, make_keys
from edge_agent.pairing.keychain import (
    BACKENDS,
    CANARY,
    CredentialFolder,
    KeychainUnsafe,
    OsKeychain,
    open_keychain,
)
from infra.local.ambient import SystemEntropy
from shared.domain.secret import Secret

ENTROPY = SystemEntropy()


class Backend:
    """A backend of keyring."""

    def __init__(self):
        self.kept = {}

    def get_password(self, service, name):
        return self.kept.get((service, name))

    def set_password(self, service, name, value):
        self.kept[service, name] = value

    def delete_password(self, service, name):
        del self.kept[service, name]


class Forgetful(Backend):
    """Takes a secret and gives nothing back, as keyring's null backend does."""

    def set_password(self, service, name, value):
        return None


class Stale(Backend):
    """Gives back what somebody else put there."""

    def get_password(self, service, name):
        return "AAAA"


class Sticky(Backend):
    """Does not let go."""

    def delete_password(self, service, name):
        return None


class Broken(Backend):
    """Fails as only itself does."""

    def set_password(self, service, name, value):
        raise RuntimeError("no such interface 'org.freedesktop.Secret'")


def keychain():
    """Return a keychain that works."""
    return OsKeychain(Backend(), ENTROPY)


@pytest.mark.parametrize("backend", [Forgetful, Stale, Sticky, Broken])
def test_backend_that_does_not_keep_is_refused_at_the_start(backend):
    with pytest.raises(KeychainUnsafe):
        open_keychain("linux", None, ENTROPY, {"linux": backend})


def test_canary_leaves_no_trace():
    backend = Backend()
    OsKeychain(backend, ENTROPY)

    assert backend.kept == {}
    assert CANARY not in {DEVICE_KEY, LEDGER_KEY}


def test_backend_is_named_for_each_system_and_never_searched_for():
    assert set(BACKENDS) == {"darwin", "linux", "win32"}
    with pytest.raises(KeychainUnsafe, match="plan9"):
        open_keychain("plan9", None, ENTROPY)


def test_session_without_a_keychain_is_refused(monkeypatch):
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent")
    monkeypatch.delenv("DISPLAY", raising=False)

    with pytest.raises(KeychainUnsafe, match="systemd"):
        open_keychain("linux", None, ENTROPY)


def test_keys_are_made_once_and_found_again():
    chain = keychain()
    made = make_keys(chain, ENTROPY)

    assert held_keys(chain) == made
    assert made.device != made.ledger
    assert len(made.public) == 32
    assert "[secret]" in repr(made)
    with pytest.raises(KeychainUnsafe, match="paired already"):
        make_keys(chain, ENTROPY)


def test_desk_that_is_not_paired_or_whose_keys_are_damaged_says_so():
    chain = keychain()
    with pytest.raises(KeychainUnsafe, match="not paired"):
        held_keys(chain)
    make_keys(chain, ENTROPY)
    chain.put(DEVICE_KEY, Secret(b"short"))

    with pytest.raises(KeychainUnsafe, match="damaged"):
        held_keys(chain)


def test_entry_that_is_not_ours_is_refused_without_being_told():
    backend = Backend()
    chain = OsKeychain(backend, ENTROPY)
    backend.set_password("keyfleet", DEVICE_KEY, "hunter2!")

    with pytest.raises(KeychainUnsafe) as refused:
        chain.get(DEVICE_KEY)
    assert "hunter2" not in str(refused.value)


def test_wiped_desk_cannot_open_its_ledger_and_is_paired_anew(tmp_path):
    chain, path = keychain(), tmp_path / "desk.db"
    first = make_keys(chain, ENTROPY)
    ledger = DeskLedger(path, first.ledger, ENTROPY)
    ledger.wipe()
    forget_keys(chain)
    forget_keys(chain)

    second = make_keys(chain, ENTROPY)

    assert first.public != second.public
    DeskLedger(path, second.ledger, ENTROPY).close()


def test_service_without_a_session_gets_its_keys_from_systemd(tmp_path):
    (tmp_path / DEVICE_KEY).write_bytes(bytes(32))
    (tmp_path / LEDGER_KEY).write_bytes(b"\x01" * 32)
    folder = open_keychain("linux", str(tmp_path), ENTROPY)

    assert isinstance(folder, CredentialFolder)
    assert held_keys(folder).ledger.reveal() == b"\x01" * 32
    assert folder.get("else") is None
    for act in (lambda: folder.put("x", Secret(b"")), lambda: folder.forget("x")):
        with pytest.raises(KeychainUnsafe, match="LoadCredentialEncrypted"):
            act()

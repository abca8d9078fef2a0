"""A hash tells two visits of one address from two addresses, and nothing else to anybody."""

import pytest

from shared.domain.ids import TenantId
from shared.domain.secret import Secret
from shared.events.backoffice.hashes import Hashed, Pepper, peppered

OURS, OTHERS = TenantId("tnt_1"), TenantId("tnt_2")
P1, P2 = Pepper("p1", Secret(b"1" * 32)), Pepper("p2", Secret(b"2" * 32))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("203.0.113.7", " 203.0.113.7 "),
        ("203.0.113.7", "::ffff:203.0.113.7"),
        ("2001:db8::1", "2001:0DB8:0:0:ffff::9"),
        ("fe80::1%eth0", "fe80::2"),
    ],
)
def test_two_spellings_of_an_address_hash_alike(one, other):
    assert peppered(Hashed.ADDRESS, OURS, one, P1) == peppered(Hashed.ADDRESS, OURS, other, P1)


def test_fingerprints_agree_whatever_their_letters_and_composition():
    composed, apart = "Zāhir-A", "Za\u0304hir-a "
    assert peppered(Hashed.FINGERPRINT, OURS, composed, P1) == peppered(Hashed.FINGERPRINT, OURS, apart, P1)


def test_kind_tenant_and_pepper_each_make_another_hash():
    value = "203.0.113.7"
    hashes = {
        peppered(kind, tenant, value, pepper)
        for kind in Hashed
        for tenant in (OURS, OTHERS)
        for pepper in (P1, P2)
    }
    assert len(hashes) == 8


def test_two_networks_differ():
    assert peppered(Hashed.ADDRESS, OURS, "2001:db8:0:1::1", P1) != peppered(
        Hashed.ADDRESS, OURS, "2001:db8:0:2::1", P1
    )


def test_a_hash_is_written_as_the_document_shows_and_a_pepper_never():
    assert peppered(Hashed.ADDRESS, OURS, "no address", P1).startswith("sha256:")
    assert "1111" not in repr(P1)

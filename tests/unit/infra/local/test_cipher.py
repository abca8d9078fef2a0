"""What the local cipher writes, and whom its guard lets open."""

import traceback
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from infra.local.cipher import HEADER, MAGIC, GuardedCipher
from shared.domain.ids import TenantId
from shared.domain.secret import Secret
from shared.ports.vault import PurposeRefused, SealBroken, SealContext
from tests.contract.cipher.setting import PIN, Setting, local_cipher

PURPOSES = ["lock-config", "vendor-ref-salto"]
NAMES = some.text(some.characters(codec="utf-8"), min_size=1, max_size=12)
TENANTS = some.from_regex(r"\Atnt_[0-9a-z]{1,6}\Z").map(TenantId)
CONTEXTS = some.builds(SealContext, some.sampled_from(PURPOSES), TENANTS, NAMES, NAMES)
QUICKLY = settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture
async def setting(tmp_path):
    async with Setting(tmp_path, local_cipher, threaded=False) as setting:
        yield setting


@pytest.fixture
async def tied(setting):
    """A cipher that needs no database any more."""
    for purpose in (*PURPOSES, PIN.purpose):
        await setting.cipher.stamp(purpose)
    return setting.cipher


@pytest.fixture
def opened(tied):
    """Seal in one context and open in another, without a loop."""

    def seal_and_open(context, other, plaintext, change=lambda sealed: sealed):
        sealed = _finish(tied.seal(context, Secret(plaintext)))
        try:
            return _finish(tied.open(other, change(sealed))).reveal()
        except SealBroken:
            return None

    return seal_and_open


def _finish(coroutine):
    # Nothing in here waits once the key file is tied to its database.
    try:
        coroutine.send(None)
    except StopIteration as done:
        return done.value
    raise AssertionError("the cipher waited for something")


@QUICKLY
@given(CONTEXTS, some.binary(max_size=200))
def test_whatever_was_sealed_opens_in_its_context(opened, context, plaintext):
    assert opened(context, context, plaintext) == plaintext


@QUICKLY
@given(CONTEXTS, CONTEXTS, some.binary(max_size=20))
def test_nothing_opens_in_a_context_that_differs(opened, context, other, plaintext):
    assert (opened(context, other, plaintext) is not None) == (context == other)


@QUICKLY
@given(NAMES, NAMES, some.data())
def test_no_way_of_dividing_the_same_letters_opens(opened, record, field, data):
    together = record + field
    cut = data.draw(some.integers(1, len(together) - 1))
    other = replace(PIN, record=together[:cut], field=together[cut:])
    assert (opened(replace(PIN, record=record, field=field), other, b"x") is None) == (cut != len(record))


@QUICKLY
@given(some.binary(max_size=40), some.data())
def test_no_flipped_bit_opens(opened, plaintext, data):
    def flip(sealed):
        place = data.draw(some.integers(0, len(sealed) * 8 - 1))
        changed = bytearray(sealed)
        changed[place // 8] ^= 1 << place % 8
        return bytes(changed)

    assert opened(PIN, PIN, plaintext, flip) is None


@QUICKLY
@given(some.binary(max_size=120))
def test_bytes_from_anywhere_do_not_open(tied, sealed):
    with pytest.raises(SealBroken):
        _finish(tied.open(PIN, sealed))


async def test_the_header_names_key_and_version(setting):
    first = HEADER.unpack_from(await setting.seal())
    assert setting.cipher.rotate(PIN.purpose) == 2
    second = HEADER.unpack_from(await setting.seal())
    other = HEADER.unpack_from(await setting.seal(context=replace(PIN, purpose="lock-config")))
    assert [header[0] for header in (first, second, other)] == [MAGIC] * 3
    assert first[1] == second[1] != other[1]
    assert [header[2] for header in (first, second, other)] == [1, 2, 1]


async def test_what_an_older_key_sealed_still_opens(setting):
    sealed = [await setting.seal(b"0")]
    for version in (b"1", b"2"):
        setting.cipher.rotate(PIN.purpose)
        sealed.append(await setting.seal(version))
    await setting.reopen()
    assert [await setting.open_field(each) for each in sealed] == [b"0", b"1", b"2"]


async def test_a_rotation_by_another_process_needs_no_restart(setting):
    await setting.seal()
    other = await local_cipher(setting)
    other.rotate(PIN.purpose)
    sealed = await other.seal(PIN, Secret(b"by the other"))
    assert await setting.open_field(sealed) == b"by the other"


async def test_a_refusal_shows_neither_key_nor_plaintext_even_with_its_variables(setting):
    sealed = await setting.seal(b"hush-hush")
    key = setting.cipher.keyring.newest(PIN.purpose).material
    with pytest.raises(SealBroken) as broken:
        await setting.cipher.open(replace(PIN, field="token"), sealed)
    trace = traceback.TracebackException.from_exception(broken.value, capture_locals=True)
    shown = "".join(trace.format()) + repr(broken.value)
    assert "hush" not in shown
    assert repr(key.reveal())[2:-1] not in shown
    assert broken.value.__context__ is None


@pytest.mark.parametrize("opens", [frozenset(), frozenset({"lock-config"})])
async def test_a_guard_refuses_what_its_caller_may_not_open_and_says_where_to_allow_it(setting, opens):
    sealed = await setting.seal()
    with pytest.raises(PurposeRefused, match=r"guest-artifact-ttlock: .*`opens` in its fleet.yaml"):
        await GuardedCipher(setting.cipher, lambda: opens).open(PIN, sealed)


async def test_a_guard_refuses_before_it_looks_at_the_bytes(setting):
    with pytest.raises(PurposeRefused):
        await GuardedCipher(setting.cipher, frozenset).open(PIN, b"nonsense")


async def test_a_guard_asks_anew_at_each_opening(setting):
    allowed = [frozenset({PIN.purpose}), frozenset()]
    guarded = GuardedCipher(setting.cipher, lambda: allowed.pop(0))
    sealed = await setting.seal()
    assert (await guarded.open(PIN, sealed)).reveal() == b"4711"
    with pytest.raises(PurposeRefused):
        await guarded.open(PIN, sealed)


@pytest.mark.parametrize(
    "seals",
    [None, frozenset({PIN.purpose}), frozenset({"guest-artifact-*"})],
    ids=["platform", "named", "pattern"],
)
async def test_who_may_seal_is_the_platform_itself_and_whoever_names_the_purpose(setting, seals):
    sealed = await GuardedCipher(setting.cipher, frozenset, lambda: seals).seal(PIN, Secret(b"x"))
    assert await setting.open_field(sealed) == b"x"


async def test_who_may_open_a_purpose_may_seal_for_it(setting):
    guarded = GuardedCipher(setting.cipher, lambda: frozenset({PIN.purpose}), frozenset)
    assert (await guarded.open(PIN, await guarded.seal(PIN, Secret(b"x")))).reveal() == b"x"


@pytest.mark.parametrize(
    "seals", [frozenset(), frozenset({"lock-config", "guest-artifact-salto*"})], ids=["none", "others"]
)
async def test_a_guard_refuses_to_seal_what_its_caller_does_not_name(setting, seals):
    with pytest.raises(PurposeRefused, match=r"may not seal guest-artifact-ttlock: .*`seals` in its"):
        await GuardedCipher(setting.cipher, frozenset, lambda: seals).seal(PIN, Secret(b"x"))


async def test_a_pattern_opens_every_vendor_s_and_nothing_else(setting):
    guarded = GuardedCipher(setting.cipher, lambda: frozenset({"guest-artifact-*"}))
    assert (await guarded.open(PIN, await setting.seal())).reveal() == b"4711"
    with pytest.raises(PurposeRefused):
        await guarded.open(replace(PIN, purpose="vendor-ref-ttlock"), await setting.seal())

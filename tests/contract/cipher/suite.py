"""What a cipher promises, each guarantee in a test of its name."""

import hashlib
import re
from dataclasses import replace

import pytest

from shared.domain.errors import InvalidInput
from shared.domain.ids import TenantId
from shared.ports.vault import SealBroken
from tests.contract.cipher.setting import PIN

OTHERS = {
    "purpose": "guest-artifact-salto",
    "tenant": TenantId("tnt_beta"),
    "record": "grt_02",
    "field": "token",
}
SAME_LETTERS = [
    ("grt_0", "1pin"),
    ("grt_01p", "in"),
    ("pin", "grt_01"),
    ("grt_01\x00pin", "pin"),
]


class CipherContract:
    """The guarantees of `shared.ports.vault.Cipher`."""

    @pytest.mark.parametrize(
        "plaintext", [b"", b"4711", bytes(range(256)) * 1024], ids=["empty", "pin", "large"]
    )
    async def test_what_was_sealed_opens_in_its_context(self, setting, plaintext):
        assert await setting.open_field(await setting.seal(plaintext)) == plaintext

    async def test_what_was_sealed_opens_after_a_restart(self, setting):
        sealed = await setting.seal()
        await setting.reopen()
        assert await setting.open_field(sealed) == b"4711"

    async def test_one_value_has_one_index_whoever_asks_and_whenever(self, setting):
        first = await setting.indexes()
        assert await setting.indexes() == first
        await setting.reopen()
        assert await setting.indexes() == first
        assert re.fullmatch("[0-9a-f]{64}", first[0])

    async def test_two_values_have_two_indexes(self, setting):
        found = [(await setting.indexes(b"%06d" % number))[0] for number in range(100)]
        assert len(set(found)) == 100

    @pytest.mark.parametrize("part", OTHERS)
    async def test_a_value_has_another_index_in_another_context(self, setting, part):
        other = replace(PIN, **{part: OTHERS[part]})
        assert set(await setting.indexes()).isdisjoint(await setting.indexes(context=other))

    @pytest.mark.parametrize(("record", "field"), SAME_LETTERS)
    async def test_no_two_contexts_have_one_index(self, setting, record, field):
        other = replace(PIN, record=record, field=field)
        assert set(await setting.indexes()).isdisjoint(await setting.indexes(context=other))

    async def test_an_index_is_no_digest_that_anybody_could_make(self, setting):
        (index,) = await setting.indexes()
        parts = [PIN.purpose, str(PIN.tenant), PIN.record, PIN.field]
        salts = ["", *parts, *("".join(parts[:number]) for number in range(5))]
        for name in ("md5", "sha1", "sha256", "sha512", "blake2b", "blake2s"):
            made = [hashlib.new(name, salt.encode() + b"4711").hexdigest() for salt in salts]
            assert index not in [each[:64] for each in made]

    async def test_what_was_indexed_before_a_rotation_is_found_after_it(self, setting):
        (before,) = await setting.indexes()
        await setting.rotate()
        newest, *older = await setting.indexes()
        assert newest != before
        assert older == [before]
        await setting.reopen()
        assert await setting.indexes() == (newest, before)

    @pytest.mark.parametrize("part", ["record", "field"])
    async def test_an_index_of_an_empty_part_is_refused(self, setting, part):
        with pytest.raises(InvalidInput):
            await setting.indexes(context=replace(PIN, **{part: ""}))

    @pytest.mark.parametrize("part", OTHERS)
    async def test_it_opens_in_no_other_context(self, setting, part):
        other = replace(PIN, **{part: OTHERS[part]})
        sealed = await setting.seal()
        await setting.seal(context=other)
        with pytest.raises(SealBroken):
            await setting.open_field(sealed, other)

    @pytest.mark.parametrize(("record", "field"), SAME_LETTERS)
    async def test_no_two_contexts_spell_the_same(self, setting, record, field):
        sealed = await setting.seal()
        with pytest.raises(SealBroken):
            await setting.open_field(sealed, replace(PIN, record=record, field=field))

    async def test_no_altered_byte_is_accepted(self, setting):
        sealed = await setting.seal()
        for place in range(len(sealed)):
            altered = bytearray(sealed)
            altered[place] ^= 1
            with pytest.raises(SealBroken):
                await setting.open_field(bytes(altered))

    async def test_no_shortened_or_lengthened_bytes_are_accepted(self, setting):
        sealed = await setting.seal()
        for wrong in (*(sealed[:end] for end in range(len(sealed))), sealed + b"\x00", b"\x00" + sealed):
            with pytest.raises(SealBroken):
                await setting.open_field(wrong)

    async def test_the_same_plaintext_is_never_sealed_to_the_same_bytes(self, setting):
        assert len({await setting.seal() for _ in range(20)}) == 20

    async def test_sealed_bytes_do_not_show_the_plaintext(self, setting):
        assert b"a long enough plaintext" not in await setting.seal(b"a long enough plaintext")

    async def test_what_was_opened_is_never_printed(self, setting):
        opened = await setting.cipher.open(PIN, await setting.seal(b"hush-hush"))
        assert "hush" not in f"{opened!r}{opened}"

    @pytest.mark.parametrize("part", ["purpose", "record", "field"])
    async def test_a_context_with_an_empty_part_is_refused(self, setting, part):
        with pytest.raises(InvalidInput):
            await setting.seal(context=replace(PIN, **{part: ""}))

    @pytest.mark.parametrize("purpose", ["Lock-Config", "a/b", "x" * 64, "../keys", "a"])
    async def test_a_malformed_purpose_is_refused(self, setting, purpose):
        with pytest.raises(InvalidInput, match="purpose"):
            await setting.seal(context=replace(PIN, purpose=purpose))

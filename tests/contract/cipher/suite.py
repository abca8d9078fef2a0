"""What a cipher promises, each guarantee in a test of its name."""

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

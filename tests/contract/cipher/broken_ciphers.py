"""Ciphers that are wrong in one way each: every one must fail the guarantee it breaks."""

import base64
import hashlib
import os
from dataclasses import replace

from shared.domain.errors import InvalidInput
from shared.domain.secret import Secret
from shared.ports.vault import SealBroken
from tests.contract.cipher.setting import PIN


class Broken:
    """A cipher that does everything right; its heirs do one thing wrong."""

    def __init__(self, inner):
        self._inner, self.notes = inner, {}

    async def seal(self, context, plaintext):
        return await self._inner.seal(context, plaintext)

    async def index(self, context, value):
        return await self._inner.index(context, value)

    async def open(self, context, sealed):
        return await self._inner.open(context, sealed)


def ignores(part):
    """A cipher that leaves one part of the context out."""

    def seen(context):
        return replace(context, **{part: getattr(PIN, part)})

    class Ignores(Broken):
        async def seal(self, context, plaintext):
            return await super().seal(seen(context), plaintext)

        async def open(self, context, sealed):
            return await super().open(seen(context), sealed)

    return Ignores


class JoinsTheParts(Broken):
    def _joined(self, context):
        return replace(context, record=context.record + context.field, field="all")

    async def seal(self, context, plaintext):
        return await super().seal(self._joined(context), plaintext)

    async def open(self, context, sealed):
        return await super().open(self._joined(context), sealed)


class OnlyEncodes(Broken):
    async def seal(self, context, plaintext):
        return plaintext.reveal()

    async def open(self, context, sealed):
        return Secret(sealed)


class ForgivesABadEnd(Broken):
    """Seals twice, and opens whichever is whole."""

    async def seal(self, context, plaintext):
        sealed = await super().seal(context, plaintext)
        return sealed + sealed

    async def open(self, context, sealed):
        half = len(sealed) // 2
        try:
            return await super().open(context, sealed[:half])
        except SealBroken:
            return await super().open(context, sealed[half:])


class CutsTheEnd(Broken):
    async def open(self, context, sealed):
        return await super().open(context, sealed[: self.notes.get("length", len(sealed))])

    async def seal(self, context, plaintext):
        sealed = await super().seal(context, plaintext)
        self.notes["length"] = len(sealed)
        return sealed


class SealsOnce(Broken):
    """Gives the same bytes again for what it sealed before."""

    async def seal(self, context, plaintext):
        if (context, plaintext.reveal()) not in self.notes:
            self.notes[context, plaintext.reveal()] = await super().seal(context, plaintext)
        return self.notes[context, plaintext.reveal()]


class RemembersOnlyHere(Broken):
    """Keeps the key in memory."""

    async def seal(self, context, plaintext):
        token = b"%d" % len(self.notes)
        self.notes[token] = plaintext
        return token

    async def open(self, context, sealed):
        if sealed not in self.notes:
            raise SealBroken("unknown")
        return self.notes[sealed]


class Shows(Broken):
    async def open(self, context, sealed):
        return (await super().open(context, sealed)).reveal()


class TakesAnyContext(Broken):
    async def seal(self, context, plaintext):
        try:
            return await super().seal(context, plaintext)
        except InvalidInput:
            return base64.b64encode(plaintext.reveal())


class DrawsItsIndexes(Broken):
    """Gives whatever comes, and remembers it for as long as it lives."""

    async def index(self, context, value):
        return (self.notes.setdefault((context, value.reveal()), os.urandom(32).hex()),)


class CutsTheValue(Broken):
    async def index(self, context, value):
        return await super().index(context, Secret(value.reveal()[:3]))


class Digests(Broken):
    """Needs no key."""

    async def index(self, context, value):
        return (hashlib.sha256(context.field.encode() + value.reveal()).hexdigest(),)


class ForgetsOlderKeys(Broken):
    async def index(self, context, value):
        return (await super().index(context, value))[:1]

    def rotate(self, purpose):
        return self._inner.rotate(purpose)


class IndexesAnyContext(Broken):
    async def index(self, context, value):
        full = replace(context, record=context.record or "-", field=context.field or "-")
        return await super().index(full, value)


def indexes_without(part):
    """Make a cipher that indexes alike in whichever part of a context."""

    class Alike(Broken):
        async def index(self, context, value):
            return await super().index(replace(context, **{part: getattr(PIN, part)}), value)

    return Alike


class SpellsTheirIndexAlike(Broken):
    async def index(self, context, value):
        joined = f"{context.record}{context.field}".replace("\x00", "")
        spelt = "".join(sorted(joined))
        return await super().index(replace(context, record=spelt, field="-"), value)


BROKEN = [
    (DrawsItsIndexes, "test_one_value_has_one_index_whoever_asks_and_whenever", None),
    (CutsTheValue, "test_two_values_have_two_indexes", None),
    *(
        (indexes_without(part), "test_a_value_has_another_index_in_another_context", {"part": part})
        for part in ("purpose", "tenant", "record", "field")
    ),
    (SpellsTheirIndexAlike, "test_no_two_contexts_have_one_index", {"record": "grt_0", "field": "1pin"}),
    (Digests, "test_an_index_is_no_digest_that_anybody_could_make", None),
    (ForgetsOlderKeys, "test_what_was_indexed_before_a_rotation_is_found_after_it", None),
    (IndexesAnyContext, "test_an_index_of_an_empty_part_is_refused", {"part": "field"}),
    *(
        (ignores(part), "test_it_opens_in_no_other_context", {"part": part})
        for part in ("purpose", "tenant", "record", "field")
    ),
    (JoinsTheParts, "test_no_two_contexts_spell_the_same", {"record": "grt_0", "field": "1pin"}),
    (OnlyEncodes, "test_sealed_bytes_do_not_show_the_plaintext", None),
    (ForgivesABadEnd, "test_no_altered_byte_is_accepted", None),
    (CutsTheEnd, "test_no_shortened_or_lengthened_bytes_are_accepted", None),
    (SealsOnce, "test_the_same_plaintext_is_never_sealed_to_the_same_bytes", None),
    (RemembersOnlyHere, "test_what_was_sealed_opens_after_a_restart", None),
    (Shows, "test_what_was_opened_is_never_printed", None),
    (TakesAnyContext, "test_a_context_with_an_empty_part_is_refused", {"part": "field"}),
    (TakesAnyContext, "test_a_malformed_purpose_is_refused", {"purpose": "a/b"}),
]
"""The guarantee that each must fail, and that test's arguments."""

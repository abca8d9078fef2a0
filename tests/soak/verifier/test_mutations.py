"""Whatever becomes of a pack's bytes, it is found: every bit, and 200,000 mutations by chance."""

import random
from functools import lru_cache

import pytest

from infra.verifier import verify_pack
from infra.verifier.verify_pack import verify
from tests.support.audit_pack import POLICY, three_days
from tests.support.notaries import flipped

BOOK = three_days()
PACKS = {"whole": BOOK.whole(), "streams": BOOK.of_streams(key_a=2, key_b=4)}
PARTS, MUTATIONS = 8, 200_000
PURE = ("Policy", "canonical", "checkpoint", "cosigned_at", "good", "note_of", "unbase64")
"""What comes to the same for the same, and keeps none of it to change."""


@pytest.fixture(autouse=True)
def alike_once(monkeypatch):
    """Take each line, note and signature apart once: an accident leaves most as they were."""
    for name in PURE:
        monkeypatch.setattr(verify_pack, name, lru_cache(1000)(getattr(verify_pack, name)))


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("name", PACKS)
def test_every_single_bit_is_found(name, part):
    pack = PACKS[name]
    assert verify(pack, POLICY).failures == []
    missed = [
        bit for bit in range(part, len(pack) * 8, PARTS) if not verify(flipped(pack, bit), POLICY).failures
    ]
    assert missed == []


def mutated(pack, chance):
    """Return a pack after one to three accidents: bytes altered, lost, doubled, moved, or lines exchanged."""
    for _ in range(chance.randint(1, 3)):
        if len(pack) < 2:
            break
        at, end = sorted(chance.randrange(len(pack)) for _ in range(2))
        end = min(end, at + chance.randint(1, 200))
        lines = pack.split(b"\n")
        one, two = chance.randrange(len(lines)), chance.randrange(len(lines))
        lines[one], lines[two] = lines[two], lines[one]
        pack = chance.choice(
            [
                flipped(pack, chance.randrange(len(pack) * 8)),
                pack[:at] + bytes([chance.randrange(256)]) + pack[at + 1 :],
                pack[:at] + pack[end:],
                pack[:end] + pack[at:],
                pack[:at] + pack[end:] + pack[at:end],
                b"\n".join(lines),
                pack[: chance.randrange(1, len(pack))],
                pack + bytes([chance.randrange(256)]),
            ]
        )
    return pack


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("seed", range(PARTS))
def test_every_mutation_is_found(seed):
    chance, packs = random.Random(seed), list(PACKS.values())
    for _ in range(MUTATIONS // PARTS):
        pack = mutated(chance.choice(packs), chance)
        assert pack in packs or verify(pack, POLICY).failures

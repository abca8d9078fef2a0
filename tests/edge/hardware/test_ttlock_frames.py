"""TTLock's language: every public vector, the vendor's check, and whatever chance brings."""

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_agent.hardware.errors import NoAnswer
from edge_agent.hardware.ttlock import commands
from edge_agent.hardware.ttlock.advertisement import advertisement, suffix_matches
from edge_agent.hardware.ttlock.cipher import decrypt, encrypt
from edge_agent.hardware.ttlock.commands import (
    Command,
    LockKeys,
    LockRefused,
    Validity,
    answered,
    battery_of,
    challenge_of,
    clock_of,
    proof,
)
from edge_agent.hardware.ttlock.frames import (
    LockDamaged,
    LockFrame,
    LockFrameReader,
    crc,
)
from infra.simulators.ble_locks.ble_lock import check
from shared.domain.secret import Secret
from tests.edge.vectors import vectors
from tests.edge.wires import fed

FRAMES = vectors("ttlock_crc_frames")["frames"]
AES = vectors("ttlock_aes")["vectors"]
SESSIONS = {row["name"]: row["steps"] for row in vectors("ttlock_sessions")["sessions"]}
PAYLOADS = vectors("ttlock_payloads")
REQUESTS = {row["case"]: row["plaintext"] for row in PAYLOADS["requests"]}
UNLOCK = bytes.fromhex("0109fe80")


def keys(admin="26d2fc7b", user=0x02ACD30B):
    """Return the keys of the lock in the published sessions."""
    return LockKeys(Secret(bytes(16)), Secret(bytes.fromhex(admin)), Secret(UNLOCK), 0, user)


@pytest.mark.parametrize("size", [None, 1, 20])
@pytest.mark.parametrize("row", FRAMES, ids=lambda row: row["frame"][18:40])
def test_published_frame_is_read_and_written(row, size):
    whole = bytes.fromhex(row["frame"])

    (frame,) = fed(LockFrameReader(), whole, size)

    assert f"{frame.command:02x}" == row["cmd"]
    assert bytes(frame) == whole
    assert f"{crc(whole[:-3]):02x}" == row["crc"] == f"{check(whole[:-3]):02x}"


def test_vendor_s_check_is_not_the_plain_one():
    telling = [row for row in FRAMES if row["discriminates_modified_table"]]

    assert len(telling) == 3
    for row in telling:
        whole = bytes.fromhex(row["frame"])
        plain = whole[:-3] + bytes.fromhex(row["plain_crc8_maxim"]) + whole[-2:]
        assert fed(LockFrameReader(), plain) == [LockDamaged("crc")]


def test_both_ends_have_one_table():
    assert all(crc(bytes([n])) == check(bytes([n])) for n in range(256))


@given(st.binary(max_size=200), st.binary(max_size=9), st.integers(1, 20))
def test_any_frame_survives_noise_and_pieces(data, noise, size):
    quiet = noise.replace(b"\x7f", b"\x7e")
    frames = [LockFrame(0x54, data), LockFrame(0x14, b"", encrypted=False)]

    assert fed(LockFrameReader(), quiet + b"".join(map(bytes, frames)), size) == frames


@given(st.binary(max_size=300), st.integers(1, 40))
def test_whatever_comes_the_next_frame_is_found(noise, size):
    events = fed(LockFrameReader(), noise + bytes(270) + bytes(LockFrame(0x54, b"x")), size)

    assert events[-1] == LockFrame(0x54, b"x")


@pytest.mark.parametrize("row", AES, ids=lambda row: row["meaning"])
def test_published_ciphertext_is_made_and_opened(row):
    key = Secret(bytes.fromhex(row["key"]))
    plain, cipher = bytes.fromhex(row["plaintext"]), bytes.fromhex(row["ciphertext"])

    assert encrypt(key, plain) == cipher
    assert decrypt(key, cipher) == plain


def test_ciphertext_of_another_key_is_no_answer():
    with pytest.raises(NoAnswer):
        decrypt(Secret(bytes(16)), bytes.fromhex(AES[0]["ciphertext"]))
    with pytest.raises(NoAnswer):
        decrypt(Secret(bytes(16)), b"odd")
    assert encrypt(Secret(bytes(16)), b"") == decrypt(Secret(bytes(16)), b"") == b""


@pytest.mark.parametrize("name", SESSIONS)
def test_published_session_is_followed(name):
    steps = SESSIONS[name]
    challenge = None
    for step in steps:
        plain = bytes.fromhex(step["plaintext"])
        if step["cmd"] in ("41", "55"):
            continue
        if step["cmd"] == "54":
            data = answered(plain, plain[0])
            challenge = challenge_of(data) if plain[0] in (0x41, 0x55) else challenge
        if step["cmd"] in ("47", "30"):
            assert plain[:4] == proof(challenge, keys())


def test_admin_and_user_introduce_themselves_as_published():
    assert commands.check_admin(keys()).hex() == SESSIONS["admin unlock"][2]["plaintext"]
    window = Validity(datetime.fromisoformat("2026-03-04T16:55"), datetime.fromisoformat("2027-03-04T16:55"))
    assert commands.check_user(window, keys(user=0x02D06AEF)).hex() == SESSIONS["user unlock"][2]["plaintext"]
    clock = datetime.fromisoformat("2026-03-05T13:55:01")
    assert commands.set_clock(clock).hex() == SESSIONS["calibrate time"][4]["plaintext"]


def test_requests_are_the_published_ones():
    written = {
        "passcode add PERMANENT 1234, default start": commands.add_passcode(Secret("1234"), None),
        "passcode delete type 1 5678": commands.delete_passcode(Secret("5678"), permanent=True),
        "calibrate 2026-05-11 14:23:07": commands.set_clock(datetime.fromisoformat("2026-05-11T14:23:07")),
        "query state": commands.STATE_WORD,
    }

    assert {case: payload.hex() for case, payload in written.items()} == {
        case: REQUESTS[case] for case in written
    }


def test_answers_are_the_published_ones():
    def answer(case):
        row = next(row for row in PAYLOADS["responses"] if row["case"] == case)
        return bytes.fromhex(row["plaintext"])

    assert battery_of(answered(answer("state reply battery 45 locked"), Command.STATE)) == 45
    random = answered(answer("check-user-time reply random 0x1db78a8f"), Command.CHECK_USER)
    assert challenge_of(random).hex() == "1db78a8f"
    with pytest.raises(LockRefused) as refused:
        answered(answer("check-user-time refused, code 8"), Command.CHECK_USER)
    assert refused.value.code == "8"


@pytest.mark.parametrize("code", vectors("ttlock_error_codes")["codes"])
def test_every_published_error_has_its_words(code):
    with pytest.raises(LockRefused) as refused:
        answered(bytes([0x03, 0, int(code, 16)]), Command.PASSCODE)
    assert refused.value.code == str(int(code, 16))
    assert "unknown" not in refused.value.problem
    assert int(code, 16) in commands.MEANINGS


@pytest.mark.parametrize("row", PAYLOADS["advertisements"], ids=lambda row: row["payload"])
def test_published_advertisement_is_read(row):
    state = advertisement(row["company_id"], bytes.fromhex(row["payload"]))

    if isinstance(row["expect"], str):
        assert state is None
        return
    told = {
        "protocol": f"{state.protocol[0]}.{state.protocol[1]}",
        **{
            name: getattr(state, name)
            for name in ("scene", "unlocked", "battery", "mac", "new_records", "dormant")
        },
    }
    assert row["expect"].items() <= told.items()


@given(st.integers(0, 65535), st.binary(max_size=40))
def test_whatever_is_advertised_is_read_or_passed_over(company, payload):
    state = advertisement(company, payload)

    assert state is None or len(state.mac) == 17


def test_name_ends_with_the_address_backwards():
    assert suffix_matches("S202_332211", "AA:BB:CC:11:22:33")
    assert not suffix_matches("S202_332212", "AA:BB:CC:11:22:33")


@given(st.binary(max_size=12), st.sampled_from(Command))
def test_whatever_a_lock_answers_is_read_or_refused(plain, command):
    try:
        data = answered(plain, command)
        challenge_of(data), clock_of(data), battery_of(data)
    except (NoAnswer, LockRefused):
        return


def test_window_is_never_cut_by_rounding():
    start, end = datetime.fromisoformat("2026-11-19T14:00:59"), datetime.fromisoformat("2026-11-21T10:59:01")

    assert bytes(Validity(start, end)).hex() == "1a0b130e00" + "1a0b150b00"
    with pytest.raises(ValueError):
        Validity(end, start)
    with pytest.raises(ValueError, match="wall-clock"):
        Validity(start.astimezone(), end.astimezone())


@pytest.mark.parametrize("code", ["123", "1234567890", "12a4", "١٢٣٤"])
def test_passcode_no_keypad_takes_is_refused_without_being_told(code):
    with pytest.raises(ValueError, match="4 to 9 digits") as refused:
        commands.delete_passcode(Secret(code))
    assert code not in str(refused.value)


def test_keys_do_not_show_themselves():
    assert "109fe80" not in repr(keys())
    with pytest.raises(ValueError, match="keys"):
        LockKeys(Secret(b"short"), Secret(bytes(4)), Secret(bytes(4)))
    with pytest.raises(ValueError, match="card"):
        commands.delete_card(bytes(9))

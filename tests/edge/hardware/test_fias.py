"""FIAS: records both ways, the link's table, and whole lines over TCP and a serial port."""

import asyncio
from contextlib import asynccontextmanager, suppress
from datetime import UTC, date, datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_agent.hardware.errors import CardMissing, LinkLost, UnsafeWrite
from edge_agent.hardware.property_systems.fias import (
    AnswerStatus,
    KeyRequest,
    KeyType,
    Record,
    RecordRefused,
    key_request,
)
from edge_agent.hardware.property_systems.fias_desk import FiasDesk
from edge_agent.hardware.property_systems.fias_link import FiasKeySystem, LinkState
from edge_agent.hardware.property_systems.stx import (
    ACK,
    ENQ,
    Control,
    Garbled,
    Message,
    StxReader,
    enclosed,
    lrc,
)
from edge_agent.hardware.serial_link import open_serial
from edge_agent.hardware.tcp_link import open_tcp
from infra.local.ambient import SystemClock
from infra.simulators.property_systems.fias_pms import FiasPms
from infra.simulators.wires.pty_port import PtyPort
from infra.simulators.wires.tcp_port import TcpPort
from tests.edge.wires import DirectLink, fed

NOW = datetime(2026, 11, 19, 8, tzinfo=UTC)
ASK = b"KR|WS3|KC1|RN101|KTN|GA251201|GD251204|G#4711|"
ANSWER = b"KA|WS3|KC1|ASOK|G#4711|"
START = b"LS|DA261119|TI080000|"
ALIVE = b"LA|DA261119|TI080001|"


def test_published_check_holds():
    assert lrc(b"12345") == ord("2")


def test_published_request_is_read_and_answered():
    record = Record.parse(ASK)
    request = key_request(record)

    assert bytes(record) == ASK
    assert (request.room, request.encoder, request.key_type) == ("101", "1", KeyType.NEW)
    assert (request.arrival, request.departure) == (date(2025, 12, 1), date(2025, 12, 4))
    assert bytes(request.answer(AnswerStatus.OK)) == ANSWER


def test_every_field_of_a_request_is_read():
    record = Record.parse(b"KM|KC2|RN204|RO101|SI205;206|KO 01|DT11:30|K#2|G#9|KTD|")

    assert key_request(record) == KeyRequest(
        record="KM",
        encoder="2",
        station="",
        room="204",
        old_room="101",
        more_rooms=("205", "206"),
        areas=(True, False, True),
        leaves_at=time(11, 30),
        copies=2,
        reservation="9",
        key_type=KeyType.DUPLICATE,
    )


@pytest.mark.parametrize(
    ("data", "field"),
    [
        (b"XX|RN1|", "type"),
        (b"", "type"),
        (b"KR|R|", "fields"),
        (b"KR|RN101|", "KC"),
        (b"KR|KC1|RN101|KTX|", "KT"),
        (b"KR|KC1|RN101|GA251301|", "GA"),
        (b"KR|KC1|RN101|DT25:00|", "DT"),
        (b"KR|KC1|RN101|K#x|", "K#"),
        (b"KD|RN101|", "G#"),
        (b"LA|DA251201|", "type"),
    ],
)
def test_request_that_cannot_be_read_names_its_field(data, field):
    with pytest.raises(RecordRefused, match=field):
        key_request(Record.parse(data))


@given(st.binary(max_size=80))
def test_whatever_comes_a_record_is_read_or_refused(data):
    with suppress(RecordRefused):
        key_request(Record.parse(data))


@given(st.binary(max_size=60), st.booleans(), st.integers(1, 9))
def test_any_message_survives_pieces_noise_and_controls(data, checked, size):
    plain = bytes(byte for byte in data if byte not in (2, 3))
    line = b"\x11" + enclosed(plain, checked) + bytes([ENQ]) + enclosed(b"LA|", checked)

    events = fed(StxReader(checked), line, size)

    assert events == [Message(plain), Control(ENQ), Message(b"LA|")]


@given(st.binary(max_size=200), st.booleans(), st.integers(1, 30))
def test_whatever_comes_the_next_frame_is_found(noise, checked, size):
    # A check may be any byte: after the noise the line is still for two of them.
    events = fed(StxReader(checked), noise + b"\x03\x0d" + enclosed(b"LA|", checked), size)

    assert events[-1] == Message(b"LA|")


def test_flipped_and_cut_frames_are_garbled():
    whole = enclosed(b"LA|", checked=True)

    assert fed(StxReader(checked=True), whole[:-1] + b"\x77") == [Garbled("check")]
    assert fed(StxReader(checked=True), whole[:2] + whole) == [Garbled("cut short"), Message(b"LA|")]
    assert fed(StxReader(checked=True), whole[:-1] + b"\x0d") == [Message(b"LA|")]
    assert fed(StxReader(checked=False), b"\x02" + bytes(5000)) == [Garbled("without an end")]
    with pytest.raises(ValueError, match="data"):
        enclosed(b"\x03", checked=False)


def alive():
    """Return a key system whose link is alive."""
    system = FiasKeySystem()
    system.heard(START, NOW)
    system.heard(ALIVE, NOW)
    return system


def test_link_begins_as_published():
    system = FiasKeySystem()

    records, asked = system.heard(START, NOW)

    assert [record.type for record in records] == ["LD", *["LR"] * 5, "LA"]
    assert dict(records[0].fields)["IF"] == "KE"
    assert dict(records[1].fields)["RI"] == "KR"
    assert asked == []
    assert system.state is LinkState.DESCRIBED
    assert system.heard(ALIVE, NOW) == ([], [])
    assert system.state is LinkState.ALIVE
    assert [record.type for record in system.heard(ALIVE, NOW)[0]] == ["LA"]


def test_request_before_the_link_is_alive_is_passed_over():
    system = FiasKeySystem()

    assert system.heard(ASK, NOW) == ([], [])
    system.heard(START, NOW)
    assert system.heard(ASK, NOW) == ([], [])


def test_request_is_answered_once_and_never_on_a_later_link():
    system = alive()
    (first,) = system.heard(ASK, NOW)[1]
    (second,) = system.heard(ASK, NOW)[1]

    assert [bytes(record) for record in system.answer(first.number, AnswerStatus.OK)] == [ANSWER]
    assert system.answer(first.number, AnswerStatus.OK) == []
    system.lost()
    system.heard(START, NOW)
    system.heard(ALIVE, NOW)
    assert system.answer(second.number, AnswerStatus.OK) == []


def test_end_of_the_link_is_heeded():
    system = alive()

    system.heard(b"LE|DA261119|TI080000|", NOW)

    assert system.state is LinkState.DOWN
    assert system.heard(ASK, NOW) == ([], [])


def test_unreadable_request_is_denied_with_what_it_says_of_itself():
    system = alive()

    records, asked = system.heard(b"KR|WS3|KC1|RN101|KTX|G#4711|", NOW)

    assert asked == []
    assert [bytes(record) for record in records] == [b"KA|WS3|KC1|ASDN|G#4711|"]
    assert system.heard(b"XY|what|", NOW) == ([], [])


def test_silent_software_is_asked_at_most_every_five_minutes():
    system = FiasKeySystem()

    assert [record.type for record in system.probe(NOW)] == ["LS"]
    assert system.probe(NOW + timedelta(minutes=4)) == []
    assert len(system.probe(NOW + timedelta(minutes=5))) == 1
    assert alive().probe(NOW) == []


@asynccontextmanager
async def serving(desk):
    """Serve a line until the block ends."""
    task = asyncio.create_task(desk.serve())
    try:
        yield task
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError, LinkLost):
            await task
        await desk.close()


async def until(holds):
    """Wait for something that is on its way."""
    async with asyncio.timeout(20):
        while not holds():  # noqa: ASYNC110 - the other end is a simulator, which knows no event of ours
            await asyncio.sleep(0.002)


@pytest.mark.parametrize("piece", [0, 1])
async def test_key_is_asked_for_and_made_over_tcp(piece):
    pms, made = FiasPms(asks=[ASK]), []

    async def make(request):
        made.append(request.room)
        return AnswerStatus.OK

    async with TcpPort(pms, piece) as line:
        desk = FiasDesk(await open_tcp("127.0.0.1", line.port), make, SystemClock())
        async with serving(desk):
            await until(lambda: pms.answers)

    assert (made, pms.answers) == (["101"], [ANSWER])


@pytest.mark.parametrize("trouble", [{}, {"naks": 1}, {"naks": 3}])
async def test_key_is_asked_for_and_made_over_a_serial_line(trouble):
    pms = FiasPms(serial=True, asks=[ASK], **trouble)
    with PtyPort(pms) as line:
        link = await open_serial(line.path)
        desk = FiasDesk(link, lambda _: asyncio.sleep(0, AnswerStatus.OK), SystemClock(), serial=True)
        async with serving(desk):
            line._at(0, lambda when: line._send(pms.greeting()[0], when))
            await until(lambda: pms.answers)

    assert pms.answers == [ANSWER]
    assert set(pms.controls) == {ACK}


async def test_enquiry_repeats_the_last_acknowledgement_and_not_the_record():
    pms = FiasPms(serial=True)
    link = DirectLink(pms)
    desk = FiasDesk(link, lambda _: asyncio.sleep(0, AnswerStatus.OK), SystemClock(), serial=True)
    async with serving(desk):
        link._coming.put_nowait(pms.greeting()[0].data)
        await until(lambda: pms.alive)
        records = len(pms.heard)
        link._coming.put_nowait(bytes([ENQ]))
        await until(lambda: len(pms.controls) >= 3)

    assert set(pms.controls) == {ACK}
    assert len(pms.heard) == records


@pytest.mark.parametrize(
    ("error", "status"), [(LinkLost, b"ASBY"), (CardMissing, b"ASRY"), (UnsafeWrite, b"ASDN")]
)
async def test_encoder_s_trouble_is_told_and_the_line_lives_on(error, status):
    pms, tries = FiasPms(asks=[ASK, ASK]), []

    async def make(request):
        tries.append(1)
        if len(tries) == 1:
            raise error("trouble")
        return AnswerStatus.OK

    async with TcpPort(pms) as line:
        desk = FiasDesk(await open_tcp("127.0.0.1", line.port), make, SystemClock())
        async with serving(desk):
            await until(lambda: len(pms.answers) == 2)

    assert status in pms.answers[0]
    assert pms.answers[1] == ANSWER


async def test_line_that_ends_is_lost_and_the_next_one_begins_anew():
    pms = FiasPms()
    async with TcpPort(pms) as line:
        for connections in (1, 2):
            desk = FiasDesk(await open_tcp("127.0.0.1", line.port), lambda _: asyncio.sleep(0), SystemClock())
            async with serving(desk) as task:
                await until(lambda: pms.alive)
                assert line.connections == connections
                await line.cut()
                with pytest.raises(LinkLost):
                    await task
            assert desk.system.state is LinkState.DOWN


async def test_nobody_at_the_address_is_lost():
    async with TcpPort(FiasPms()) as line:
        port = line.port

    with pytest.raises(LinkLost):
        await open_tcp("127.0.0.1", port)

"""Salto's PMS language: the published frame, every answer, and cards that are never made twice."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_agent.hardware.errors import (
    CardFaulty,
    CardMissing,
    DeviceRefused,
    LinkLost,
    NoAnswer,
)
from edge_agent.hardware.property_systems import salto
from edge_agent.hardware.property_systems.salto import CardRequest, checkout, packed, unpacked
from edge_agent.hardware.property_systems.salto_desk import SaltoDesk, SaltoPatience
from edge_agent.hardware.property_systems.stx import ACK, NAK, enclosed
from edge_agent.hardware.serial_link import open_serial
from edge_agent.hardware.tcp_link import open_tcp
from infra.simulators.property_systems.salto_space import SaltoCard, SaltoSpace
from infra.simulators.wires.pty_port import PtyPort
from infra.simulators.wires.tcp_port import TcpPort
from tests.edge.wires import DirectLink

GOLDEN = bytes.fromhex("02b3434fb330b3313031b3030f")
START, END = datetime.fromisoformat("2026-11-19T14:00:59"), datetime.fromisoformat("2026-11-21T11:00")
REQUEST = CardRequest("desk", ("101",), START, END, "night clerk")
QUICK = SaltoPatience(character=0.05, answer=0.05)
FIELD = st.text(st.characters(max_codepoint=255, exclude_characters="\xb3\x02\x03"), max_size=9)


def desk_at(space, **wire):
    """Return a desk whose every connection leads to a simulated system, and its links."""
    links = []

    async def connect():
        space.greeting()
        links.append(DirectLink(space, **wire))
        return links[-1]

    return SaltoDesk(connect, QUICK), links


def test_checkout_is_the_published_frame():
    assert enclosed(packed(checkout("101")), checked=True) == GOLDEN


def test_dates_are_the_site_s_own():
    fields = REQUEST.fields("CN")

    assert len(fields) == 16
    assert fields[:4] == ("CN1", "desk", "E", "101")
    assert fields[9:12] == ("1400191126", "1100211126", "night clerk")
    with pytest.raises(ValueError, match="wall-clock"):
        salto.stamp(START.replace(tzinfo=UTC))


@given(st.lists(FIELD, min_size=1, max_size=9))
def test_any_fields_come_back(fields):
    assert unpacked(packed(tuple(fields))) == tuple(fields)


@given(st.binary(max_size=40))
def test_whatever_comes_fields_are_read_or_refused(data):
    try:
        salto.content(unpacked(data))
    except (NoAnswer, LinkLost, CardMissing, CardFaulty, DeviceRefused):
        return


@pytest.mark.parametrize("change", [{"rooms": ()}, {"rooms": ("1",) * 5}, {"operator": "x" * 25}])
def test_request_beyond_the_limits_is_refused(change):
    with pytest.raises(ValueError):
        CardRequest(
            **{"encoder": "desk", "rooms": ("1",), "operator": ""} | change, valid_from=START, valid_until=END
        )


def test_separator_in_a_field_is_refused():
    with pytest.raises(ValueError, match="separator"):
        packed(("CN", "a\xb3b"))


@pytest.mark.parametrize("piece", [None, 1])
async def test_card_is_made_copied_read_and_checked_out(piece):
    space = SaltoSpace()
    desk, _ = desk_at(space, piece=piece)

    await desk.new_card(REQUEST)
    content = await desk.read_card("desk")
    await desk.copy_card(REQUEST)
    copy = await desk.read_card("desk")
    await desk.check_out("101")

    assert content.serves(REQUEST)
    assert (content.checked_in, content.copy, copy.copy) == (True, 0, 1)
    assert space.asked == ["CN1", "LT", "CC1", "LT", "CO"]
    assert "101" not in space.current


@pytest.mark.parametrize(("code", "kind"), [(code, kind) for code, (kind, _) in salto.MEANINGS.items()])
async def test_every_refusal_has_its_error(code, kind):
    space = SaltoSpace()
    desk, _ = desk_at(space)
    space.faults.plan(code)

    with pytest.raises(kind) as refused:
        await desk.check_out("101")
    assert refused.value.code == code


@pytest.mark.parametrize(("code", "state"), salto.UNREADABLE.items())
async def test_card_without_a_guest_says_what_it_is(code, state):
    space = SaltoSpace()
    desk, _ = desk_at(space)
    space.faults.plan(code)

    assert (await desk.read_card("desk")).state == state


@pytest.mark.parametrize("faults", [["busy"], ["nak"], ["nak", "nak"], ["bad_lrc"]])
async def test_trouble_on_the_line_costs_one_card_and_not_two(faults):
    space = SaltoSpace()
    desk, _ = desk_at(space)
    space.faults.plan(*faults)

    await desk.new_card(REQUEST)

    assert space.made == 1
    assert (NAK in space.controls) == ("bad_lrc" in faults)
    assert space.controls[-1] == ACK


@pytest.mark.parametrize("fault", ["lost_answer", "closed"])
async def test_lost_answer_is_looked_for_on_the_card_and_the_card_is_not_made_again(fault):
    space = SaltoSpace()
    async with TcpPort(space) as line:
        desk = SaltoDesk(lambda: open_tcp("127.0.0.1", line.port), SaltoPatience(5, 1))
        space.faults.plan(fault)

        await desk.new_card(REQUEST)

        assert space.asked == ["CN1", "LT"]
        assert (space.made, space.current["101"].void) == (1, False)
        await desk.close()


async def test_card_that_was_not_made_is_said_and_left_to_the_clerk():
    space = SaltoSpace(encoders={"desk": SaltoCard(("102",), "1400191126", "1100211126")})
    desk, _ = desk_at(space)
    space.faults.plan("silent")

    with pytest.raises(NoAnswer):
        await desk.new_card(REQUEST)
    assert (space.asked, space.made) == (["CN1", "LT"], 0)


async def test_system_that_is_never_ready_is_asked_three_times():
    space = SaltoSpace()
    space.faults.plan(*["busy"] * 9)
    desk, _ = desk_at(space)

    with pytest.raises(NoAnswer):
        await desk.check_out("101")
    assert space.controls.count(5) == 3


async def test_lost_line_is_opened_anew_by_the_next_question():
    space = SaltoSpace()
    desk, links = desk_at(space)
    await desk.check_out("101")
    await links[0].close()
    with pytest.raises(LinkLost):
        await desk.check_out("101")

    await desk.check_out("101")

    assert len(links) == 2


async def test_unknown_encoder_room_and_missing_card_are_said():
    space = SaltoSpace(encoders={"desk": None})
    desk, _ = desk_at(space)

    with pytest.raises(CardMissing):
        await desk.new_card(REQUEST)
    with pytest.raises(LinkLost):
        await desk.read_card("attic")
    with pytest.raises(DeviceRefused):
        await desk.check_out("999")


async def test_copy_of_a_guest_who_left_is_refused():
    desk, _ = desk_at(SaltoSpace())

    with pytest.raises(DeviceRefused) as refused:
        await desk.copy_card(REQUEST)
    assert refused.value.code == "EA"


async def test_card_is_made_over_a_serial_line():
    space = SaltoSpace()
    with PtyPort(space, piece=1) as line:
        desk = SaltoDesk(lambda: open_serial(line.path), SaltoPatience(5, 5))

        await desk.new_card(REQUEST)
        await desk.close()

    assert space.made == 1

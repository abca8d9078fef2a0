"""What the control plane shows of a TTLock lock."""

from tests.unit.infra.simulators.kit.test_control_plane import lock_state
from tests.unit.infra.simulators.ttlock.integrator import DAY, ROOM


async def test_the_state_shows_everything_at_a_lock_beside_what_is_listed(sim):
    pin = await sim.add_pin("482913")
    await sim.post("/v3/keyboardPwd/delete", lockId=ROOM, keyboardPwdId=pin["keyboardPwdId"])
    window = {"startDate": sim.ms, "endDate": sim.ms + DAY}
    drawn = await sim.post("/v3/keyboardPwd/get", lockId=ROOM, keyboardPwdType=3, **window)
    await sim.post("/v3/identityCard/add", lockId=ROOM, cardNumber="77", addType=2, **window)
    guest = {"receiverUsername": "g@example.org", "createUser": 1, "keyName": "k"}
    key = (await sim.post("/v3/key/send", lockId=ROOM, **guest, **window))["keyId"]
    await sim.post("/v3/key/delete", keyId=key)
    state = await lock_state(sim)
    assert [(code["code"], code["source"], code["now"]) for code in state["codes"]] == [
        ("482913", "custom", "open"),
        (drawn["keyboardPwd"], "random", "open"),
    ]
    assert [(card["number"], card["start"], card["now"]) for card in state["cards"]] == [
        ("77", sim.ms, "open")
    ]
    assert state["ekeys"] == [{"keyId": key, "holder": "g@example.org", "listed": False}]
    assert {name: len(rows) for name, rows in state["listed"].items()} == {
        "passcodes": 1,
        "cards": 1,
        "ekeys": 0,
        "qrCodes": 0,
    }

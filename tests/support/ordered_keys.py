"""One key, on a person's word: ended, replaced, put to rest, or asked for again."""

from tests.support.sample_hotel import SILK


async def order(house, function, which, **more):
    """Order it as an operator, and let it be done."""
    body = {"tenant": str(SILK), "key": which, "by": "usr_7", **more}
    answer = await house.on.send(function, body, caller="operator")
    await house.settled()
    return answer


async def ask_again(house, key, tenant=str(SILK), caller="operator"):
    """Have its vendor asked now."""
    return await house.on.send("ask-again", {"tenant": tenant, "key": key}, caller=caller)

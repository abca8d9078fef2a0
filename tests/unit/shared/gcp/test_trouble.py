"""Google's refusals become what a caller repeats, or what it must look at, and nothing in between."""

import pytest
from google.api_core import exceptions
from google.auth.exceptions import RefreshError, TransportError

from shared.gcp.trouble import Troubled, passing_trouble
from shared.ports.trouble import ServiceTrouble

PASSING = [
    exceptions.ServiceUnavailable("down"),
    exceptions.InternalServerError("bad luck"),
    exceptions.DeadlineExceeded("late"),
    exceptions.RetryError("tried long enough", None),
    exceptions.ResourceExhausted("quota of KMS"),
    exceptions.TooManyRequests("slow down"),
    exceptions.Aborted("somebody else was first"),
    exceptions.Cancelled("called off"),
    TransportError("the metadata server is out of reach"),
    RefreshError("no token now"),
]
LASTING = [
    exceptions.PermissionDenied("no"),
    exceptions.InvalidArgument("what is this"),
    exceptions.NotFound("where"),
    exceptions.AlreadyExists("twice"),
    exceptions.FailedPrecondition("not so"),
]


@pytest.mark.parametrize("error", PASSING, ids=lambda each: type(each).__name__)
def test_what_passes_is_trouble_and_says_no_more_than_its_kind(error):
    with pytest.raises(ServiceTrouble) as told, passing_trouble("kms"):
        raise error
    assert str(told.value) == f"kms is in trouble ({type(error).__name__}): ask again"


@pytest.mark.parametrize("error", LASTING, ids=lambda each: type(each).__name__)
def test_what_lasts_is_told_as_it_is(error):
    with pytest.raises(type(error)), passing_trouble("kms"):
        raise error


async def test_a_client_s_calls_are_told_so():
    class Client:
        async def wrap(self):
            raise exceptions.ResourceExhausted("60,000 a minute")

    with pytest.raises(ServiceTrouble, match="kms is in trouble"):
        await Troubled(Client(), "kms").wrap()

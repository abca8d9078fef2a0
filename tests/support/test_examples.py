"""What Hypothesis is told about every test that draws examples."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from infra.local.ambient import stopwatch

LONGER_THAN_HYPOTHESIS_WAITS = 0.25


@given(value=st.none())
def test_an_example_that_a_busy_machine_holds_up_fails_nothing(value):
    began = stopwatch()
    while stopwatch() - began < LONGER_THAN_HYPOTHESIS_WAITS:
        pass


@settings(max_examples=5)
@given(value=st.none())
def test_settings_of_a_test_s_own_say_nothing_of_time(value):
    assert settings().deadline is None
    assert HealthCheck.too_slow in settings().suppress_health_check

"""Settings: what Terraform must say, what follows from it, and what is wrong with anything else."""

import pytest

from shared.domain.errors import InvalidInput
from shared.gcp.settings import GoogleSettings

LEAST = {"GOOGLE_CLOUD_PROJECT": "hotel", "KEYFLEET_REGION": "europe-west6"}


def test_project_and_region_are_enough():
    settings = GoogleSettings.from_environment(LEAST)
    assert (settings.cell, settings.queue_location, settings.workflow_location, settings.key_location) == (
        "europe-west6",
    ) * 4
    assert settings.url_of("sweep-ledger") == "https://europe-west6-hotel.cloudfunctions.net/sweep-ledger"
    assert settings.email_of("cloud-tasks") == "cloud-tasks@hotel.iam.gserviceaccount.com"
    assert settings.main_database != settings.sealed_database


def test_everything_can_be_said():
    said = {
        "KEYFLEET_CELL": "ch-1",
        "KEYFLEET_DATABASE": "ledger",
        "KEYFLEET_SEALED_DATABASE": "vault",
        "KEYFLEET_QUEUE_LOCATION": "europe-west1",
        "KEYFLEET_WORKFLOW_LOCATION": "europe-west2",
        "KEYFLEET_KEY_LOCATION": "europe",
        "KEYFLEET_KEY_RING": "keys",
        "KEYFLEET_EMAIL_DOMAIN": "accounts.example",
        "KEYFLEET_TASKS_ACCOUNT": "prompts",
        "KEYFLEET_BASE_URL": "https://keys.example/",
        "KMS_EMULATOR_HOST": "127.0.0.1:9",
    }
    settings = GoogleSettings.from_environment({**LEAST, **said})
    assert (settings.cell, settings.main_database, settings.sealed_database) == ("ch-1", "ledger", "vault")
    assert (settings.queue_location, settings.workflow_location) == ("europe-west1", "europe-west2")
    assert (settings.key_location, settings.key_ring) == ("europe", "keys")
    assert settings.email_of(settings.tasks_account) == "prompts@accounts.example"
    assert settings.url_of("x") == "https://keys.example/x"
    assert settings.emulators == {"kms": "127.0.0.1:9"}


def test_nothing_goes_to_an_emulator_where_google_runs_us():
    deployed = {**LEAST, "K_REVISION": "sweep-due-00007", "KMS_EMULATOR_HOST": "127.0.0.1:9"}
    with pytest.raises(InvalidInput, match=r"^KMS_EMULATOR_HOST: set beside K_REVISION"):
        GoogleSettings.from_environment(deployed)
    rehearsed = GoogleSettings.from_environment({**deployed, "KEYFLEET_REHEARSAL": "true"})
    assert rehearsed.emulators == {"kms": "127.0.0.1:9"}


def test_a_signature_proves_a_caller_unless_google_has_checked_it_before_us():
    assert GoogleSettings.from_environment(LEAST).proven_by == "signature"
    assert GoogleSettings.from_environment({**LEAST, "KEYFLEET_PROVEN_BY": "iam"}).proven_by == "iam"


@pytest.mark.parametrize(
    "said",
    [
        {"KEYFLEET_PROVEN_BY": "nobody"},
        {"KEYFLEET_PROVEN_BY": "iam", "KEYFLEET_PUBLIC": "true"},
        {"KEYFLEET_PROVEN_BY": "iam", "KEYFLEET_PEOPLE": "true"},
    ],
)
def test_where_anybody_may_call_only_a_signature_is_a_proof(said):
    with pytest.raises(InvalidInput, match=r"^KEYFLEET_PROVEN_BY"):
        GoogleSettings.from_environment({**LEAST, **said})


@pytest.mark.parametrize("variable", LEAST)
def test_what_is_missing_is_named_with_the_remedy(variable):
    with pytest.raises(InvalidInput, match=rf"^{variable}: not set\. .* Terraform"):
        GoogleSettings.from_environment({**LEAST, variable: ""})


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("GOOGLE_CLOUD_PROJECT", "hotel/../other"),
        ("KEYFLEET_REGION", "Europe"),
        ("KEYFLEET_KEY_RING", "a b"),
        ("KEYFLEET_RECORDS_BUCKET", "a b"),
        ("KEYFLEET_KEPT", "on-shift-started"),
        ("KEYFLEET_BASE_URL", "http://keys.example"),
        ("FIRESTORE_EMULATOR_HOST", "http://127.0.0.1:9"),
    ],
)
def test_what_is_malformed_is_named_without_its_value(variable, value):
    with pytest.raises(InvalidInput, match=f"^{variable}: ") as refusal:
        GoogleSettings.from_environment({**LEAST, variable: value})
    assert value not in str(refusal.value)

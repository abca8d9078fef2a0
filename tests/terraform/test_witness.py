"""The memory off the cloud can be added to by one function, and emptied by nobody before its time."""

import json

import pytest

from functions.audit.bucket import SESSION

FOLDER = "modules/witness"
SUBJECT = "104729104729104729104"
OPTIONS = ["-var=bucket=hotel-locks-witness", "-var=cell=gulf", f"-var=subject={SUBJECT}"]
pytestmark = [pytest.mark.soak, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def made(workspace):
    return {address: each["change"]["after"] for address, each in workspace.plan(FOLDER, *OPTIONS).items()}


def test_what_lies_there_is_locked_for_seven_years_and_versioned(made):
    (rule,) = made["aws_s3_bucket_object_lock_configuration.this"]["rule"]
    (retention,) = rule["default_retention"]
    assert (retention["mode"], retention["days"]) == ("COMPLIANCE", 2557)
    assert made["aws_s3_bucket.this"]["object_lock_enabled"]
    assert made["aws_s3_bucket_versioning.this"]["versioning_configuration"][0]["status"] == "Enabled"


def test_nobody_outside_sees_it(made):
    assert {
        value for value in made["aws_s3_bucket_public_access_block.this"].values() if value is not None
    } == {True}


def test_the_function_alone_comes_in_by_its_account_s_number_and_audience(made):
    (statement,) = json.loads(made["aws_iam_role.writer"]["assume_role_policy"])["Statement"]
    assert statement["Principal"] == {"Federated": "accounts.google.com"}
    assert statement["Condition"] == {
        "StringEquals": {"accounts.google.com:oaud": SESSION, "accounts.google.com:sub": SUBJECT}
    }


def test_it_may_add_and_read_and_never_delete_or_let_go(made):
    statements = json.loads(made["aws_iam_role_policy.writer"]["policy"])["Statement"]
    allowed = {action for each in statements for action in each["Action"]}
    assert not [action for action in allowed if "Delete" in action or "Bypass" in action or "*" in action]
    assert {"s3:PutObject", "s3:ListBucketVersions", "s3:GetObjectVersion"} <= allowed
    assert {str(each["Resource"]) for each in statements} == {
        "arn:aws:s3:::hotel-locks-witness",
        "arn:aws:s3:::hotel-locks-witness/gulf/*",
    }


@pytest.mark.parametrize(
    "wrong",
    ["-var=subject=audit-witness@p.iam.gserviceaccount.com", "-var=retention_days=30", "-var=bucket=A B"],
)
def test_what_would_weaken_it_is_refused(workspace, wrong):
    workspace.init(FOLDER)
    done = workspace.run(FOLDER, "plan", "-input=false", "-lock=false", *OPTIONS, wrong)
    assert done.returncode != 0
    assert "Invalid value for variable" in done.stderr

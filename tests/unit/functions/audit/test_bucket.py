"""The witness at another cloud: what it writes, under which name, and that it never overwrites.

moto stands for S3. It shows which calls are made; that retention holds, only the real service shows
(decision 0014).
"""

from datetime import UTC, datetime

import boto3
import pytest
from moto import mock_aws

from functions.audit.bucket import NotLocked, S3Bucket, open_bucket
from shared.audit.checkpoint import Checkpoint
from shared.audit.errors import Forked
from shared.audit.notes import VerifierKey
from shared.usecases.audit.anchor_cell import CloseCell, close_cell
from shared.usecases.audit.witnessing import (
    bucket_settings,
    cosigned,
    remembered,
    require_witnessed,
    set_up_bucket,
    witness_day,
)
from tests.support.audit_house import DAYS, SILK, audit_house, stay
from tests.support.notaries import check

BUCKET, REGION = "witness-of-ours", "eu-central-1"
UNTIL = datetime(2033, 11, 19, tzinfo=UTC)
SETTINGS = {"bucket": BUCKET, "region": REGION}


@pytest.fixture
def aws(monkeypatch):
    """An account with a bucket under Object Lock."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    with mock_aws():
        client = boto3.client("s3", region_name=REGION)
        placed = {"CreateBucketConfiguration": {"LocationConstraint": REGION}}
        client.create_bucket(Bucket=BUCKET, ObjectLockEnabledForBucket=True, **placed)
        client.create_bucket(Bucket="plain-bucket", **placed)
        yield client


@pytest.fixture
async def house(tmp_path):
    async with audit_house(tmp_path) as house:
        yield house


async def test_an_object_is_created_locked_and_kept(aws):
    bucket = S3Bucket(aws, BUCKET)
    await bucket.keep("cell/1", b"note", UNTIL)
    await bucket.keep("cell/1", b"note", UNTIL)
    found = aws.head_object(Bucket=BUCKET, Key="cell/1")
    assert (found["ObjectLockMode"], found["ObjectLockRetainUntilDate"]) == ("COMPLIANCE", UNTIL)
    assert len(aws.list_object_versions(Bucket=BUCKET)["Versions"]) == 1


async def test_nothing_is_overwritten_and_what_came_first_is_what_is_read(aws):
    bucket = S3Bucket(aws, BUCKET)
    await bucket.keep("cell/1", b"note", UNTIL)
    with pytest.raises(NotLocked, match="something else"):
        await bucket.keep("cell/1", b"another", UNTIL)
    aws.put_object(Bucket=BUCKET, Key="cell/1", Body=b"put over it by somebody")
    assert await bucket.newest("cell/") == b"note"


async def test_a_bucket_that_locks_nothing_is_no_witness(aws):
    with pytest.raises(Exception, match="Lock"):
        await S3Bucket(aws, "plain-bucket").keep("cell/1", b"note", UNTIL)


async def test_the_newest_is_the_largest_of_the_cell(aws):
    bucket = S3Bucket(aws, BUCKET)
    assert await bucket.newest("cell/") is None
    for size in (9, 10, 100):
        await bucket.keep(f"cell/{size:020d}", b"%d" % size, UNTIL)
    await bucket.keep(f"other/{200:020d}", b"200", UNTIL)
    assert await bucket.newest("cell/") == b"100"


async def test_a_day_is_witnessed_and_its_line_stands_under_ours(aws, house):
    key = VerifierKey.parse((await set_up_bucket(SETTINGS, house.on))["witness"])
    settings = await bucket_settings(house.on)
    bucket = await open_bucket(settings)
    seen = ()
    for day in DAYS:
        await house.tell(*stay(f"key_of_{day}", day))
        await house.close(day, seen=seen or (empty(),))
        await witness_day(day, house.on, settings, bucket)
        await witness_day(day, house.on, settings, bucket)
        seen = (Checkpoint.parse((await remembered(house.on, bucket)).text),)
        assert await require_witnessed(house.on)
    note = await cosigned(await house.cell(), DAYS[2])
    (line,) = note.by(key)
    assert note.signatures[-1] == line
    from shared.audit.checkpoint import cosigned_at

    assert cosigned_at(note, key, check) == int(house.clock.now().timestamp())
    names = [each["Key"] for each in aws.list_objects_v2(Bucket=BUCKET)["Contents"]]
    assert names == [f"local/{size:020d}" for size in (2, 4, 6)]


async def test_a_day_without_its_witness_calls_for_somebody(aws, house):
    assert await require_witnessed(house.on)
    await set_up_bucket(SETTINGS, house.on)
    await house.close(DAYS[0], seen=(empty(),))
    assert not await require_witnessed(house.on)
    assert house.alerts()[-1]["message"] == "the cell's audit log is not witnessed"


async def test_a_cell_without_what_its_witness_remembers_is_not_closed(aws, house):
    await set_up_bucket(SETTINGS, house.on)
    with pytest.raises(Exception, match="ask audit-witness first"):
        await house.close(DAYS[0])


async def test_a_cell_that_was_restored_from_a_backup_meets_its_witness_and_signs_nothing(
    aws, house, tmp_path
):
    await set_up_bucket(SETTINGS, house.on)
    settings = await bucket_settings(house.on)
    bucket = await open_bucket(settings)
    await house.close(DAYS[0], seen=(empty(),))
    await witness_day(DAYS[0], house.on, settings, bucket)
    seen = (Checkpoint.parse((await remembered(house.on, bucket)).text),)
    (tmp_path / "restored").mkdir()
    async with audit_house(tmp_path / "restored") as restored:
        await restored.tell(*stay("key_other", DAYS[0]))
        restored.at(f"{DAYS[1]}T03:00:00Z")
        with pytest.raises(Forked):
            await close_cell(CloseCell(DAYS[0], (SILK,), seen), restored.on)
        assert restored.alerts()[-1]["message"] == "the cell's audit log cannot be closed"


def empty():
    from shared.audit.succession import beginning

    return beginning("audit.melmastoon.ghasi.io/local")

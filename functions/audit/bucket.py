"""A bucket of S3 under Object Lock, in an account that is not ours to tidy: the witness outside our cloud.

Each object is created where nothing is (`If-None-Match: *`) with a retention of its own in COMPLIANCE mode,
and looked at afterwards: an object that S3 did not lock is no witness. Nothing is ever deleted from here.
Whoever we are there comes of our identity here (`AssumeRoleWithWebIdentity`), so that no key of AWS is kept.
"""

import asyncio
from datetime import datetime
from typing import Any, Final

from shared.usecases.audit.witnessing import BucketSettings

MODE: Final = "COMPLIANCE"
SESSION: Final = "keyfleet-audit-witness"
_ANSWERS_WITHIN: Final = 20
_TRIES: Final = 3


class NotLocked(Exception):
    """The bucket took an object and did not lock it: it is no witness before somebody mends it."""


class S3Bucket:
    """One bucket; boto3 blocks, so it works on threads."""

    def __init__(self, client: Any, bucket: str) -> None:
        self._client, self._bucket = client, bucket

    async def newest(self, prefix: str) -> bytes | None:
        """Return the object whose name sorts last of those that begin so."""
        return await asyncio.to_thread(self._newest, prefix)

    async def keep(self, name: str, content: bytes, until: datetime) -> None:
        """Create an object that nobody takes away before a time; the same bytes again are no matter."""
        await asyncio.to_thread(self._keep, name, content, until)

    def _newest(self, prefix: str) -> bytes | None:
        pages = self._client.get_paginator("list_objects_v2").paginate(Bucket=self._bucket, Prefix=prefix)
        names = [each["Key"] for page in pages for each in page.get("Contents", ())]
        return self._oldest_version(max(names)) if names else None

    def _keep(self, name: str, content: bytes, until: datetime) -> None:
        from botocore.exceptions import ClientError

        locked = {"ObjectLockMode": MODE, "ObjectLockRetainUntilDate": until, "ChecksumAlgorithm": "SHA256"}
        try:
            self._client.put_object(Bucket=self._bucket, Key=name, Body=content, IfNoneMatch="*", **locked)
        except ClientError as error:
            if error.response["ResponseMetadata"]["HTTPStatusCode"] != 412:
                raise
            if self._oldest_version(name) != content:
                raise NotLocked(f"{name} holds something else: another cell writes here, or a fork") from None
        self._require_locked(name)

    def _require_locked(self, name: str) -> None:
        found = self._client.head_object(Bucket=self._bucket, Key=name)
        if found.get("ObjectLockMode") != MODE or found.get("ObjectLockRetainUntilDate") is None:
            raise NotLocked(f"{name} is not locked: enable Object Lock on the bucket, and versioning")

    def _oldest_version(self, name: str) -> bytes:
        """Return what was written first under a name: whoever may write there can only add versions."""
        listed = self._client.list_object_versions(Bucket=self._bucket, Prefix=name)
        versions = [each for each in listed.get("Versions", ()) if each["Key"] == name]
        # S3 tells of versions from the newest on, and of their times to the second only.
        first = min(reversed(versions), key=lambda each: each["LastModified"])
        told = self._client.get_object(Bucket=self._bucket, Key=name, VersionId=first["VersionId"])
        content: bytes = told["Body"].read()
        return content


async def open_bucket(settings: BucketSettings) -> S3Bucket:
    """Return the bucket that witnesses the cell, as whom we are there."""
    credentials = await _credentials(settings) if settings.role else {}
    return S3Bucket(await asyncio.to_thread(_client, "s3", settings, credentials), settings.bucket)


async def _credentials(settings: BucketSettings) -> dict[str, str]:
    from shared.gcp.access import identity_token

    token = await identity_token(SESSION)
    told = await asyncio.to_thread(_assume, settings, token)
    return {
        "aws_access_key_id": told["AccessKeyId"],
        "aws_secret_access_key": told["SecretAccessKey"],
        "aws_session_token": told["SessionToken"],
    }


def _assume(settings: BucketSettings, token: str) -> dict[str, str]:
    answer = _client("sts", settings, {}).assume_role_with_web_identity(
        RoleArn=settings.role, RoleSessionName=SESSION, WebIdentityToken=token
    )
    credentials: dict[str, str] = answer["Credentials"]
    return credentials


def _client(service: str, settings: BucketSettings, credentials: dict[str, str]) -> Any:
    import boto3
    from botocore.config import Config

    patience = Config(
        connect_timeout=_ANSWERS_WITHIN,
        read_timeout=_ANSWERS_WITHIN,
        retries={"mode": "standard", "max_attempts": _TRIES},
    )
    return boto3.client(
        service,
        region_name=settings.region,
        endpoint_url=settings.endpoint,
        config=patience,
        **credentials,
    )

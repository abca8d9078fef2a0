# The memory of the cell's audit log off the cloud (decision 0083): a bucket at Amazon that nobody empties before its
# time, and the one role that may add to it. Whoever holds the cell must not hold this account too.

resource "aws_s3_bucket" "this" {
  bucket              = var.bucket
  object_lock_enabled = true
  force_destroy       = false
  tags                = var.tags

  lifecycle {
    prevent_destroy = true
  }
}

resource "aws_s3_bucket_versioning" "this" {
  bucket = aws_s3_bucket.this.id

  versioning_configuration {
    status = "Enabled"
  }
}

# In COMPLIANCE nobody shortens it, not the account's root either. Each object also bears a date of its own.
resource "aws_s3_bucket_object_lock_configuration" "this" {
  bucket     = aws_s3_bucket.this.id
  depends_on = [aws_s3_bucket_versioning.this]

  rule {
    default_retention {
      mode = "COMPLIANCE"
      days = var.retention_days
    }
  }
}

resource "aws_s3_bucket_public_access_block" "this" {
  bucket                  = aws_s3_bucket.this.id
  block_public_acls       = true
  block_public_policy     = true
  ignore_public_acls      = true
  restrict_public_buckets = true
}

resource "aws_s3_bucket_ownership_controls" "this" {
  bucket = aws_s3_bucket.this.id

  rule {
    object_ownership = "BucketOwnerEnforced"
  }
}

resource "aws_s3_bucket_policy" "this" {
  bucket     = aws_s3_bucket.this.id
  depends_on = [aws_s3_bucket_public_access_block.this]

  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [
      {
        Sid       = "OverTLSOnly"
        Effect    = "Deny"
        Principal = "*"
        Action    = "s3:*"
        Resource  = [local.arn, "${local.arn}/*"]
        Condition = { Bool = { "aws:SecureTransport" = "false" } }
      },
    ]
  })
}

# The function proves itself by the token of its own account: no key of ours lies at Amazon, and none of Amazon's here.
resource "aws_iam_role" "writer" {
  name                 = "${var.bucket}-writer"
  description          = "The account audit-witness of the cell"
  max_session_duration = 3600
  tags                 = var.tags

  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Principal = { Federated = "accounts.google.com" }
      Action    = "sts:AssumeRoleWithWebIdentity"
      Condition = { StringEquals = {
        "accounts.google.com:oaud" = var.audience
        "accounts.google.com:sub"  = var.subject
      } }
    }]
  })
}

# It may add and read. It may not delete, nor let go of anything before its time.
resource "aws_iam_role_policy" "writer" {
  name = "add-and-read"
  role = aws_iam_role.writer.id

  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [
      {
        Effect   = "Allow"
        Action   = ["s3:ListBucket", "s3:ListBucketVersions"]
        Resource = local.arn
      },
      {
        Effect   = "Allow"
        Action   = ["s3:GetObject", "s3:GetObjectRetention", "s3:GetObjectVersion", "s3:PutObject", "s3:PutObjectRetention"]
        Resource = "${local.arn}/${var.cell}/*"
      },
    ]
  })
}

locals {
  arn = "arn:aws:s3:::${var.bucket}"
}

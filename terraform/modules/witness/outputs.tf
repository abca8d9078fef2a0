output "bucket" {
  description = "What `audit-witness` is told of, with the bucket's region."
  value       = aws_s3_bucket.this.bucket
}

output "role" {
  description = "As whom it writes there."
  value       = aws_iam_role.writer.arn
}

output "databases" {
  description = "The id of each database, by its name in the plan."
  value       = local.databases
}

output "buckets" {
  description = "The name of each bucket, by its name in the plan."
  value       = { for name, bucket in google_storage_bucket.this : name => bucket.name }
}

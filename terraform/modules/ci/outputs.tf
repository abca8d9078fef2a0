output "member" {
  description = "The deploying account as an IAM member."
  value       = google_service_account.deployer.member
}

output "provider" {
  description = "What the pipeline names to exchange its token."
  value       = google_iam_workload_identity_pool_provider.this.name
}

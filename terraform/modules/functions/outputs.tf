output "names" {
  description = "Every function and service that can be called."
  value       = toset(concat(keys(google_cloudfunctions2_function.this), keys(google_cloud_run_v2_service.this)))
  depends_on  = [google_cloud_run_service_iam_member.invoker]
}

output "services" {
  description = "Where each service is reached."
  value       = { for name, service in google_cloud_run_v2_service.this : name => service.uri }
}

output "archive" {
  description = "The object that all of them were built of."
  value       = google_storage_bucket_object.archive.name
}

output "on_trial" {
  description = "Adapters' next builds that are deployed beside the present ones."
  value       = sort(keys(local.on_trial))
}

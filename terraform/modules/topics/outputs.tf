output "ids" {
  description = "The id of each topic, by its name."
  value       = local.ids
}

output "dataset" {
  description = "The dataset of the copies."
  value       = google_bigquery_dataset.events.dataset_id
}

output "connector" {
  description = "By which functions leave."
  value       = "projects/${var.project_id}/locations/${var.region}/connectors/${google_vpc_access_connector.this.name}"
  depends_on  = [google_compute_router_nat.this]
}

output "addresses" {
  description = "What vendors see, and may allow."
  value       = google_compute_address.out[*].address
}

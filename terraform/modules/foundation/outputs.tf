output "builder" {
  description = "The account that builds functions."
  value       = google_service_account.builder.id
}

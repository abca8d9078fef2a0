output "policies" {
  description = "How many things wake somebody."
  value       = length(google_monitoring_alert_policy.said) + length(google_monitoring_alert_policy.measured) + length(google_monitoring_alert_policy.burning)
}

output "parked" {
  description = "The subscriptions that keep messages until somebody pulls them."
  value       = [for name, each in var.subscriptions : google_pubsub_subscription.this[name].name if each.function == null]
}

# What wakes functions: pushes, task queues and clocks; and what is kept until a person or a function pulls it.

locals {
  pubsub = "serviceAccount:service-${var.project_number}@gcp-sa-pubsub.iam.gserviceaccount.com"
  pushed = { for name, each in var.subscriptions : name => each if each.function != null }

  # Stand here because Terraform works out what stands at a resource anew for each of its rows (decision 0282).
  names = { for name, subscription in google_pubsub_subscription.this : name => subscription.name }
}

# A subscription's name, order and filter are for ever: one that keeps a subject becomes its function's by getting a
# push address (decision 0044), so both are one resource.
resource "google_pubsub_subscription" "this" {
  for_each = var.subscriptions

  project                    = var.project_id
  name                       = each.key
  topic                      = var.topics[each.value.topic]
  ack_deadline_seconds       = each.value.ack_deadline_seconds
  message_retention_duration = "${each.value.retention_days * 86400}s"
  enable_message_ordering    = each.value.ordered
  filter                     = each.value.filter
  labels                     = var.labels

  expiration_policy {
    ttl = each.value.expires ? "2678400s" : ""
  }

  dynamic "push_config" {
    for_each = each.value.function[*]

    content {
      push_endpoint = "${var.base_url}/${push_config.value}"

      oidc_token {
        service_account_email = var.emails[each.value.caller]
        audience              = "${var.base_url}/${push_config.value}"
      }
    }
  }

  dynamic "retry_policy" {
    for_each = each.value.minimum_backoff_seconds[*]

    content {
      minimum_backoff = "${each.value.minimum_backoff_seconds}s"
      maximum_backoff = "${each.value.maximum_backoff_seconds}s"
    }
  }

  dynamic "dead_letter_policy" {
    for_each = each.value.dead_letter_topic[*]

    content {
      dead_letter_topic     = var.topics[dead_letter_policy.value]
      max_delivery_attempts = each.value.max_delivery_attempts
    }
  }

  lifecycle {
    precondition {
      condition     = each.value.function == null || contains(var.functions, coalesce(each.value.function, "-"))
      error_message = "${each.key} pushes to ${coalesce(each.value.function, "-")}, which is not deployed."
    }
  }
}

# Pub/Sub acknowledges what it has moved to the dead letters.
resource "google_pubsub_subscription_iam_member" "undertaker" {
  for_each = local.pushed

  project      = var.project_id
  subscription = local.names[each.key]
  role         = "roles/pubsub.subscriber"
  member       = local.pubsub
}

resource "google_pubsub_subscription_iam_member" "granted" {
  for_each = { for key, grant in var.grants : key => grant if grant.on == "subscription" }

  project      = var.project_id
  subscription = local.names[each.value.target]
  role         = each.value.role
  member       = var.members[each.value.account]
}

resource "google_cloud_tasks_queue" "this" {
  for_each = var.queues

  project  = var.project_id
  location = var.region
  name     = each.key

  rate_limits {
    max_dispatches_per_second = each.value.max_dispatches_per_second
    max_concurrent_dispatches = each.value.max_concurrent_dispatches
  }

  retry_config {
    max_attempts       = each.value.max_attempts
    min_backoff        = "${each.value.min_backoff_seconds}s"
    max_backoff        = "${each.value.max_backoff_seconds}s"
    max_retry_duration = each.value.max_retry_seconds == null ? null : "${each.value.max_retry_seconds}s"
  }

  stackdriver_logging_config {
    sampling_ratio = 0.1
  }
}

resource "google_cloud_tasks_queue_iam_member" "granted" {
  for_each = { for key, grant in var.grants : key => grant if grant.on == "queue" }

  project  = var.project_id
  location = var.region
  name     = google_cloud_tasks_queue.this[each.value.target].name
  role     = each.value.role
  member   = var.members[each.value.account]
}

resource "google_cloud_scheduler_job" "this" {
  for_each = var.schedules

  project          = var.project_id
  region           = var.region
  name             = each.key
  description      = "Calls ${each.value.function}"
  schedule         = each.value.cron
  time_zone        = each.value.zone
  attempt_deadline = "${each.value.attempt_deadline_seconds}s"

  retry_config {
    retry_count          = each.value.retries
    min_backoff_duration = "${each.value.min_backoff_seconds}s"
    max_backoff_duration = "${each.value.max_backoff_seconds}s"
  }

  http_target {
    http_method = "POST"
    uri         = "${var.base_url}/${each.value.function}"
    headers     = { "Content-Type" = "application/json" }
    body        = base64encode("{}")

    oidc_token {
      service_account_email = var.emails[each.value.caller]
      audience              = "${var.base_url}/${each.value.function}"
    }
  }

  lifecycle {
    precondition {
      condition     = contains(var.functions, each.value.function)
      error_message = "${each.key} calls ${each.value.function}, which is not deployed."
    }
  }
}

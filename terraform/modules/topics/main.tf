# Every topic, who may publish on it, and what is copied to BigQuery for as long as its class is kept (B §4).

resource "google_pubsub_topic" "this" {
  for_each = var.topics

  project                    = var.project_id
  name                       = each.key
  message_retention_duration = "${each.value.message_days * 86400}s"
  kms_key_name               = var.kms_key
  labels                     = merge(var.labels, { direction = each.value.direction })

  message_storage_policy {
    allowed_persistence_regions = [var.region]
    enforce_in_transit          = true
  }
}

resource "google_pubsub_topic_iam_member" "granted" {
  for_each = local.granted

  project = var.project_id
  topic   = local.names[each.value.target]
  role    = each.value.role
  member  = var.members[each.value.account]
}

# Neighbours publish what we consume, each on its own topics.
resource "google_pubsub_topic_iam_member" "neighbour" {
  for_each = { for pair in flatten([
    for topic, row in var.topics : [
      for member in lookup(var.producers, coalesce(row.producer, "-"), []) : { topic = topic, member = member }
    ] if row.direction == "consumed"
  ]) : "${pair.topic}/${pair.member}" => pair }

  project = var.project_id
  topic   = local.names[each.value.topic]
  role    = "roles/pubsub.publisher"
  member  = each.value.member
}

# Pub/Sub itself moves what nobody takes to the parked topics.
resource "google_pubsub_topic_iam_member" "undertaker" {
  for_each = { for topic, row in var.topics : topic => row if row.parked }

  project = var.project_id
  topic   = local.names[each.key]
  role    = "roles/pubsub.publisher"
  member  = local.pubsub
}

resource "google_bigquery_dataset" "events" {
  project                    = var.project_id
  dataset_id                 = "lock_events"
  location                   = var.region
  description                = "What the fleet told, a table for each topic, for as long as its class is kept"
  delete_contents_on_destroy = !var.protected
  labels                     = var.labels

  dynamic "default_encryption_configuration" {
    for_each = var.kms_key[*]

    content {
      kms_key_name = default_encryption_configuration.value
    }
  }
}

resource "google_bigquery_table" "copy" {
  for_each = var.sinks

  project             = var.project_id
  dataset_id          = google_bigquery_dataset.events.dataset_id
  table_id            = replace(each.key, ".", "_")
  description         = "Copy of ${each.key}, for ${each.value.days} days"
  deletion_protection = var.protected
  labels              = merge(var.labels, { merkle_anchored = tostring(each.value.merkle_anchored) })

  time_partitioning {
    type          = "DAY"
    field         = "publish_time"
    expiration_ms = each.value.days * 86400000
  }

  schema = jsonencode([
    { name = "subscription_name", type = "STRING", mode = "NULLABLE" },
    { name = "message_id", type = "STRING", mode = "NULLABLE" },
    { name = "publish_time", type = "TIMESTAMP", mode = "NULLABLE" },
    { name = "attributes", type = "JSON", mode = "NULLABLE" },
    { name = "data", type = "JSON", mode = "NULLABLE" },
  ])
}

resource "google_bigquery_table_iam_member" "writer" {
  for_each = var.sinks

  project    = var.project_id
  dataset_id = google_bigquery_dataset.events.dataset_id
  table_id   = google_bigquery_table.copy[each.key].table_id
  role       = "roles/bigquery.dataEditor"
  member     = local.pubsub
}

resource "google_pubsub_subscription" "copy" {
  for_each = var.sinks

  project                    = var.project_id
  name                       = "copy.${each.key}"
  topic                      = local.ids[each.key]
  ack_deadline_seconds       = 60
  message_retention_duration = "2678400s"
  labels                     = var.labels
  depends_on                 = [google_bigquery_table_iam_member.writer]

  expiration_policy {
    ttl = ""
  }

  bigquery_config {
    table            = "${var.project_id}.${google_bigquery_dataset.events.dataset_id}.${google_bigquery_table.copy[each.key].table_id}"
    write_metadata   = true
    use_topic_schema = false
  }
}

locals {
  # Stand here because Terraform works out what stands at a resource anew for each of its rows (decision 0282).
  granted = { for key, grant in var.grants : key => grant if grant.on == "topic" }
  names   = { for name, topic in google_pubsub_topic.this : name => topic.name }

  # Spelt out, so that a plan shows which topic a subscription reads: an id is told only by an apply.
  ids = { for name, topic in google_pubsub_topic.this : name => "projects/${topic.project}/topics/${topic.name}" }

  pubsub = "serviceAccount:service-${var.project_number}@gcp-sa-pubsub.iam.gserviceaccount.com"
}

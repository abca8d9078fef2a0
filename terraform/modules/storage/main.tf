# Both databases with their indexes, expiries and exemptions, and the bucket of what must outlast its writers.

locals {
  # Stand here because Terraform works out what stands at a resource anew for each of its rows (decision 0282).
  granted   = { for key, grant in var.grants : key => grant if grant.on == "database" }
  databases = { for name, database in google_firestore_database.this : name => database.name }
}

resource "google_firestore_database" "this" {
  for_each = var.databases

  project                           = var.project_id
  name                              = each.value.id
  location_id                       = var.region
  type                              = "FIRESTORE_NATIVE"
  concurrency_mode                  = "OPTIMISTIC"
  delete_protection_state           = var.protected && each.value.delete_protection ? "DELETE_PROTECTION_ENABLED" : "DELETE_PROTECTION_DISABLED"
  deletion_policy                   = var.protected ? "ABANDON" : "DELETE"
  point_in_time_recovery_enablement = each.value.point_in_time_recovery ? "POINT_IN_TIME_RECOVERY_ENABLED" : "POINT_IN_TIME_RECOVERY_DISABLED"

  dynamic "cmek_config" {
    for_each = var.kms_key[*]

    content {
      kms_key_name = cmek_config.value
    }
  }
}

# What was destroyed in the sealed database must not come back from a copy: only what the plan says is backed up.
resource "google_firestore_backup_schedule" "daily" {
  for_each = { for name, database in var.databases : name => database if database.backed_up }

  project   = var.project_id
  database  = local.databases[each.key]
  retention = "604800s"

  daily_recurrence {}
}

resource "google_firestore_index" "this" {
  for_each = var.indexes

  project     = var.project_id
  database    = local.databases[each.value.database]
  collection  = each.value.collection
  query_scope = each.value.query_scope

  dynamic "fields" {
    for_each = each.value.fields

    content {
      field_path = fields.value.field_path
      order      = fields.value.order
    }
  }
}

resource "google_firestore_field" "this" {
  for_each = var.fields

  project    = var.project_id
  database   = local.databases[each.value.database]
  collection = each.value.collection
  field      = each.value.field

  index_config {
    dynamic "indexes" {
      for_each = each.value.indexes

      content {
        order       = indexes.value.order
        query_scope = indexes.value.query_scope
      }
    }
  }

  dynamic "ttl_config" {
    for_each = each.value.ttl ? [true] : []

    content {}
  }
}

# A database is not a resource with a policy of its own: the condition is what keeps a function out of the other one.
resource "google_project_iam_member" "database" {
  for_each = local.granted

  project = var.project_id
  role    = each.value.role
  member  = var.members[each.value.account]

  condition {
    title      = "the ${each.value.target} database"
    expression = "resource.name == \"projects/${var.project_id}/databases/${local.databases[each.value.target]}\""
  }
}

resource "google_storage_bucket" "this" {
  for_each = var.buckets

  project                     = var.project_id
  name                        = "${var.project_id}-lock-${each.key}"
  location                    = var.region
  uniform_bucket_level_access = true
  public_access_prevention    = "enforced"
  force_destroy               = !var.protected
  enable_object_retention     = each.value.object_retention
  labels                      = var.labels

  versioning {
    enabled = each.value.versioned
  }

  # Locked, nobody shortens it any more, not the owner of the project either. A trial that locked it could not be
  # taken down for seven years.
  dynamic "retention_policy" {
    for_each = var.protected ? [each.value] : []

    content {
      retention_period = retention_policy.value.retention_days * 86400
      is_locked        = retention_policy.value.retention_locked
    }
  }

  dynamic "encryption" {
    for_each = var.kms_key[*]

    content {
      default_kms_key_name = encryption.value
    }
  }
}

resource "google_storage_bucket_iam_member" "granted" {
  for_each = { for key, grant in var.grants : key => grant if grant.on == "bucket" }

  bucket = google_storage_bucket.this[each.value.target].name
  role   = each.value.role
  member = var.members[each.value.account]
}

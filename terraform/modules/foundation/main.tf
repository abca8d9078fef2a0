# What a project needs before anything of the fleet: its services, who builds, where images and logs lie, and
# a record of who read what.

locals {
  services = toset([
    "artifactregistry", "bigquery", "billingbudgets", "cloudbuild", "cloudfunctions", "cloudkms", "cloudresourcemanager",
    "cloudscheduler", "cloudtasks", "cloudtrace", "compute", "firestore", "iam", "iamcredentials", "logging", "monitoring",
    "pubsub", "run", "secretmanager", "serviceusage", "storage", "sts", "vpcaccess", "workflowexecutions", "workflows",
  ])

  # What a build of a function does: read its source, keep its image, write its log.
  building = toset(["roles/artifactregistry.writer", "roles/logging.logWriter", "roles/storage.objectViewer"])

  ours = "resource.type=(\"cloud_run_revision\" OR \"cloud_function\" OR \"workflows.googleapis.com/Workflow\" OR \"cloud_scheduler_job\" OR \"cloud_tasks_queue\")"

  # Reading is recorded where reading is what must not go unseen.
  watched = toset(["cloudkms.googleapis.com", "datastore.googleapis.com", "iam.googleapis.com", "secretmanager.googleapis.com"])
}

resource "google_project_service" "used" {
  for_each = local.services

  project            = var.project_id
  service            = "${each.value}.googleapis.com"
  disable_on_destroy = false
}

resource "google_service_account" "builder" {
  project      = var.project_id
  account_id   = "fleet-builder"
  display_name = "Builds the fleet's functions"
  depends_on   = [google_project_service.used]
}

resource "google_project_iam_member" "builder" {
  for_each = local.building

  project = var.project_id
  role    = each.value
  member  = google_service_account.builder.member
}

# `_Default` is global: lines name tenants, and a pinned tenant's lines stay where the tenant is (A §17.5).
resource "google_logging_project_bucket_config" "lines" {
  project        = var.project_id
  location       = var.region
  bucket_id      = "keyfleet"
  description    = "The fleet's log, in its own region"
  retention_days = var.log_retention_days
  depends_on     = [google_project_service.used]
}

resource "google_logging_project_sink" "lines" {
  project                = var.project_id
  name                   = "keyfleet"
  destination            = "logging.googleapis.com/${google_logging_project_bucket_config.lines.id}"
  filter                 = local.ours
  unique_writer_identity = true
}

resource "google_logging_project_exclusion" "lines" {
  project     = var.project_id
  name        = "keyfleet-is-kept-in-its-region"
  description = "What the regional bucket keeps is not kept in a global one too"
  filter      = local.ours
  depends_on  = [google_logging_project_sink.lines]
}

resource "google_project_iam_audit_config" "reads" {
  for_each = local.watched

  project = var.project_id
  service = each.value

  audit_log_config {
    log_type = "ADMIN_READ"
  }

  audit_log_config {
    log_type = "DATA_READ"
  }

  audit_log_config {
    log_type = "DATA_WRITE"
  }
}

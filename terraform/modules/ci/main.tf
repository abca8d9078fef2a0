# Deploying from a pipeline without a key: its own tokens are taken, of one repository and one branch.

resource "google_iam_workload_identity_pool" "this" {
  project                   = var.project_id
  workload_identity_pool_id = "keyfleet-deploy"
  display_name              = "Pipelines that deploy keyfleet"
}

resource "google_iam_workload_identity_pool_provider" "this" {
  project                            = var.project_id
  workload_identity_pool_id          = google_iam_workload_identity_pool.this.workload_identity_pool_id
  workload_identity_pool_provider_id = "pipeline"
  display_name                       = "The pipeline's tokens"

  attribute_mapping = {
    "google.subject"       = "assertion.sub"
    "attribute.repository" = "assertion.repository"
    "attribute.ref"        = "assertion.ref"
  }

  # Without a condition every repository of the issuer would be let in.
  attribute_condition = "assertion.repository == \"${var.repository}\" && assertion.ref == \"${var.ref}\""

  oidc {
    issuer_uri = var.issuer
  }
}

resource "google_service_account" "deployer" {
  project      = var.project_id
  account_id   = "fleet-deployer"
  display_name = "Deploys the fleet from a pipeline"
}

resource "google_service_account_iam_member" "pipeline" {
  service_account_id = google_service_account.deployer.name
  role               = "roles/iam.workloadIdentityUser"
  member             = "principalSet://iam.googleapis.com/${google_iam_workload_identity_pool.this.name}/attribute.repository/${var.repository}"
}

# No role of its own opens what is sealed. But databases, copies and messages are within its reach, and policies are
# its to change: whoever may push to its branch administers the cell (decision 0085).
resource "google_project_iam_member" "deployer" {
  for_each = toset([
    "roles/artifactregistry.admin", "roles/bigquery.admin", "roles/cloudfunctions.admin", "roles/cloudkms.admin",
    "roles/cloudscheduler.admin", "roles/cloudtasks.admin", "roles/compute.networkAdmin", "roles/datastore.owner",
    "roles/iam.securityAdmin", "roles/iam.serviceAccountAdmin", "roles/iam.workloadIdentityPoolAdmin",
    "roles/logging.configWriter", "roles/monitoring.editor", "roles/pubsub.admin", "roles/run.admin",
    "roles/serviceusage.serviceUsageAdmin", "roles/storage.admin", "roles/vpcaccess.admin", "roles/workflows.editor",
  ])

  project = var.project_id
  role    = each.value
  member  = google_service_account.deployer.member
}

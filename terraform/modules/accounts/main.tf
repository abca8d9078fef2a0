# One account for each function, each workflow and each of the platform's own callers, and what each may do in
# the project as a whole. Rights on one thing are given where the thing is made.

locals {
  # Stand here because Terraform works out what stands at a resource anew for each of its rows (decision 0282).
  names   = { for name, account in google_service_account.this : name => account.name }
  members = { for name, account in google_service_account.this : name => account.member }
}

resource "google_service_account" "this" {
  for_each = var.identities

  project      = var.project_id
  account_id   = each.key
  display_name = "keyfleet ${each.value.kind}: ${each.key}"
}

resource "google_project_iam_member" "granted" {
  for_each = { for key, grant in var.grants : key => grant if grant.on == "project" }

  project = var.project_id
  role    = each.value.role
  member  = local.members[each.value.account]
}

resource "google_service_account_iam_member" "granted" {
  for_each = { for key, grant in var.grants : key => grant if grant.on == "account" }

  service_account_id = local.names[each.value.target]
  role               = each.value.role
  member             = local.members[each.value.account]
}

# Whoever deploys gives each function its account, and so must be allowed to act as it.
resource "google_service_account_iam_member" "deployer" {
  for_each = { for pair in setproduct(keys(var.identities), var.deployers) : "${pair[0]}/${pair[1]}" => pair }

  service_account_id = local.names[each.value[0]]
  role               = "roles/iam.serviceAccountUser"
  member             = each.value[1]
}

# And so does whoever has the builder build it.
resource "google_service_account_iam_member" "builds" {
  for_each = toset(var.deployers)

  service_account_id = var.builder
  role               = "roles/iam.serviceAccountUser"
  member             = each.value
}

# Pub/Sub signs the tokens of pushes as this account.
resource "google_service_account_iam_member" "pubsub_signs" {
  service_account_id = google_service_account.this["pubsub-push"].name
  role               = "roles/iam.serviceAccountTokenCreator"
  member             = "serviceAccount:service-${var.project_number}@gcp-sa-pubsub.iam.gserviceaccount.com"
}

# People who operate the fleet call its functions as `operator`, by a token of an hour (no key is ever made).
resource "google_service_account_iam_member" "operators" {
  for_each = toset(var.operators)

  service_account_id = google_service_account.this["operator"].name
  role               = "roles/iam.serviceAccountOpenIdTokenCreator"
  member             = each.value
}

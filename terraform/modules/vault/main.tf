# The key ring with a key for each purpose, who may open or only seal by each, and who may read whose secrets.

resource "google_kms_key_ring" "this" {
  project  = var.project_id
  name     = var.key_ring
  location = var.region
}

resource "google_kms_crypto_key" "purpose" {
  for_each = var.keys

  name                       = each.key
  key_ring                   = google_kms_key_ring.this.id
  purpose                    = "ENCRYPT_DECRYPT"
  rotation_period            = "${each.value.rotated_every_days * 86400}s"
  destroy_scheduled_duration = "2592000s"
  labels                     = var.labels

  lifecycle {
    prevent_destroy = true
  }
}

locals {
  # Stand here because Terraform works out what stands at a resource anew for each of its rows (decision 0282).
  keys = { for purpose, key in google_kms_crypto_key.purpose : purpose => key.id }

  uses = merge([
    for purpose, key in var.keys : merge(
      { for name in key.openers : "${purpose}/${name}" => { purpose = purpose, account = name, role = "roles/cloudkms.cryptoKeyEncrypterDecrypter" } },
      { for name in key.sealers : "${purpose}/${name}" => { purpose = purpose, account = name, role = "roles/cloudkms.cryptoKeyEncrypter" } },
    )
  ]...)

  readers = { for key, grant in var.grants : key => merge(grant, {
    begins = split("*", grant.target)[0]
    ends   = reverse(split("*", grant.target))[0]
  }) if grant.on == "secret" }
}

resource "google_kms_crypto_key_iam_member" "used" {
  for_each = local.uses

  crypto_key_id = local.keys[each.value.purpose]
  role          = each.value.role
  member        = var.members[each.value.account]
}

# IAM knows no patterns: what an id begins and ends with is a condition. A secret is made when a hotel is set up,
# so there is nothing yet to bind to; its versions are named below it, and never end as it does.
resource "google_project_iam_member" "secret" {
  for_each = local.readers

  project = var.project_id
  role    = each.value.role
  member  = var.members[each.value.account]

  condition {
    title      = substr("secrets of ${each.value.account}", 0, 100)
    expression = <<-EOT
      resource.name.startsWith("projects/${var.project_number}/secrets/${each.value.begins}") &&
      (resource.name.endsWith("${each.value.ends}") || resource.name.extract("/secrets/{id}/").endsWith("${each.value.ends}"))
    EOT
  }
}

# With keys of the customer's own, one more encrypts what rests in Google's services.
resource "google_kms_crypto_key" "at_rest" {
  count = var.customer_managed_keys ? 1 : 0

  name                       = "at-rest"
  key_ring                   = google_kms_key_ring.this.id
  purpose                    = "ENCRYPT_DECRYPT"
  rotation_period            = "7776000s"
  destroy_scheduled_duration = "2592000s"
  labels                     = var.labels

  lifecycle {
    prevent_destroy = true
  }
}

resource "google_kms_crypto_key_iam_member" "at_rest" {
  for_each = var.customer_managed_keys ? local.agents : {}

  crypto_key_id = google_kms_crypto_key.at_rest[0].id
  role          = "roles/cloudkms.cryptoKeyEncrypterDecrypter"
  member        = "serviceAccount:${each.value}"
}

locals {
  agents = {
    artifacts = "service-${var.project_number}@gcp-sa-artifactregistry.iam.gserviceaccount.com"
    bigquery  = "bq-${var.project_number}@bigquery-encryption.iam.gserviceaccount.com"
    firestore = "service-${var.project_number}@gcp-sa-firestore.iam.gserviceaccount.com"
    functions = "service-${var.project_number}@gcf-admin-robot.iam.gserviceaccount.com"
    pubsub    = "service-${var.project_number}@gcp-sa-pubsub.iam.gserviceaccount.com"
    run       = "service-${var.project_number}@serverless-robot-prod.iam.gserviceaccount.com"
    storage   = "service-${var.project_number}@gs-project-accounts.iam.gserviceaccount.com"
    workflows = "service-${var.project_number}@gcp-sa-workflows.iam.gserviceaccount.com"
  }
}

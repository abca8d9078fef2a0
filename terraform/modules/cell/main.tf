# One cell: the whole fleet in one project and one region, as `terraform/fleet.json` has it. Tenants that are pinned to
# the region never leave it (A §17.5): everything here that rests anywhere is told where.

locals {
  fleet = jsondecode(file("${path.module}/../../fleet.json"))

  cell = coalesce(var.cell, var.region)

  labels = merge(var.labels, { app = "keyfleet", cell = local.cell, environment = var.environment })

  # What the plan calls by a term, functions and workflows are told by value.
  place = {
    project        = var.project_id
    region         = var.region
    cell           = local.cell
    base_url       = "https://${var.region}-${var.project_id}.cloudfunctions.net"
    email_domain   = "${var.project_id}.iam.gserviceaccount.com"
    records_bucket = "${var.project_id}-lock-records"
  }

  # The wake-up call of a whole night: production's databases, records and keys withstand a `terraform destroy`.
  protected = var.environment != "dev"
}

data "google_project" "this" {
  project_id = var.project_id
}

module "foundation" {
  source = "../foundation"

  project_id         = var.project_id
  region             = var.region
  log_retention_days = var.log_retention_days
}

module "ci" {
  source = "../ci"
  count  = var.pipeline == null ? 0 : 1

  project_id = var.project_id
  issuer     = var.pipeline.issuer
  repository = var.pipeline.repository
  ref        = var.pipeline.ref
  depends_on = [module.foundation]
}

module "accounts" {
  source = "../accounts"

  project_id     = var.project_id
  project_number = data.google_project.this.number
  identities     = local.fleet.identities
  grants         = local.fleet.grants
  builder        = module.foundation.builder
  deployers      = concat(var.deployers, module.ci[*].member)
  operators      = var.operators
  depends_on     = [module.foundation]
}

module "vault" {
  source = "../vault"

  project_id            = var.project_id
  project_number        = data.google_project.this.number
  region                = var.region
  key_ring              = local.fleet.key_ring
  keys                  = local.fleet.keys
  grants                = local.fleet.grants
  members               = module.accounts.members
  customer_managed_keys = var.customer_managed_keys
  labels                = local.labels
}

module "storage" {
  source = "../storage"

  project_id = var.project_id
  region     = var.region
  databases  = local.fleet.databases
  indexes    = local.fleet.indexes
  fields     = local.fleet.fields
  buckets    = local.fleet.buckets
  grants     = local.fleet.grants
  members    = module.accounts.members
  protected  = local.protected
  kms_key    = module.vault.at_rest
  labels     = local.labels
}

module "topics" {
  source = "../topics"

  project_id     = var.project_id
  project_number = data.google_project.this.number
  region         = var.region
  topics         = local.fleet.topics
  sinks          = local.fleet.sinks
  grants         = local.fleet.grants
  members        = module.accounts.members
  producers      = var.producers
  protected      = local.protected
  kms_key        = module.vault.at_rest
  labels         = local.labels
}

module "egress" {
  source = "../egress"
  count  = var.fixed_addresses > 0 ? 1 : 0

  project_id = var.project_id
  region     = var.region
  addresses  = var.fixed_addresses
  depends_on = [module.foundation]
}

# Functions come when what they stand on is there: indexes that are READY, rights, keys.
module "functions" {
  source = "../functions"

  project_id           = var.project_id
  region               = var.region
  archive              = var.archive
  next_archive         = var.next_archive
  build                = local.fleet.build
  functions            = local.fleet.functions
  next_builds          = local.fleet.next_builds
  invokers             = local.fleet.invokers
  environment_of_place = local.fleet.environment_of_place
  place                = local.place
  emails               = module.accounts.emails
  members              = module.accounts.members
  builder              = module.foundation.builder
  proven_by            = var.proven_by
  collector            = var.collector
  warm                 = var.warm
  connector            = one(module.egress[*].connector)
  kms_key              = module.vault.at_rest
  labels               = local.labels
  depends_on           = [module.storage, module.topics, module.vault]
}

# Adapters before workflows: a saga calls whichever vendor the ledger names (decision 0024).
module "workflows" {
  source = "../workflows"

  project_id = var.project_id
  region     = var.region
  sources    = "${path.module}/../../.."
  workflows  = local.fleet.workflows
  functions  = module.functions.names
  place      = local.place
  ids        = module.accounts.ids
  kms_key    = module.vault.at_rest
  labels     = local.labels
}

# Nothing is pushed before the sagas that follow from it can be started.
module "triggers" {
  source = "../triggers"

  project_id     = var.project_id
  project_number = data.google_project.this.number
  region         = var.region
  base_url       = local.place.base_url
  functions      = module.functions.names
  topics         = module.topics.ids
  subscriptions  = local.fleet.subscriptions
  queues         = local.fleet.queues
  schedules      = local.fleet.schedules
  grants         = local.fleet.grants
  emails         = module.accounts.emails
  members        = module.accounts.members
  labels         = local.labels
  depends_on     = [module.workflows]
}

module "watch" {
  source = "../watch"

  project_id     = var.project_id
  project_number = data.google_project.this.number
  cell           = local.cell
  alerts         = local.fleet.alerts
  signals        = local.fleet.signals
  promises       = local.fleet.promises
  counted        = local.fleet.counted
  timed          = local.fleet.timed
  runbooks       = var.runbooks
  channels       = var.channels
  pager          = var.pager
  budget         = var.budget
  labels         = local.labels
  depends_on     = [module.foundation]
}

# As production is, with hotels of the vendors' sandboxes.

module "cell" {
  source   = "../../modules/cell"
  for_each = var.cells

  environment           = "stage"
  cell                  = each.key
  project_id            = each.value.project_id
  region                = each.value.region
  archive               = var.archive
  next_archive          = var.next_archive
  warm                  = false
  proven_by             = var.proven_by
  collector             = var.collector
  log_retention_days    = 90
  fixed_addresses       = each.value.fixed_addresses
  customer_managed_keys = each.value.customer_managed_keys
  producers             = each.value.producers
  deployers             = var.deployers
  operators             = var.operators
  pipeline              = var.pipeline
  runbooks              = var.runbooks
  channels              = each.value.channels
  pager                 = var.pager
  budget                = var.budget
}

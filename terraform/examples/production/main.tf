# One cell as a hotel group runs it: data that withstands mistakes, encrypted by its own keys; fixed addresses that
# vendors allow; a pipeline that deploys without a key; somebody who is woken; a budget.

module "cell" {
  source = "../../modules/cell"

  environment           = "prod"
  cell                  = "gulf"
  project_id            = var.project_id
  region                = "me-central1"
  archive               = var.archive
  customer_managed_keys = true
  fixed_addresses       = 2
  log_retention_days    = 400
  producers             = var.producers
  operators             = ["group:lock-oncall@example.com"]
  runbooks              = "https://example.com/keyfleet/blob/main"
  pager                 = var.pager

  pipeline = {
    issuer     = "https://token.actions.githubusercontent.com"
    repository = "example/keyfleet"
    ref        = "refs/heads/release"
  }

  budget = {
    billing_account = var.billing_account
    monthly         = 500
    currency        = "USD"
  }
}

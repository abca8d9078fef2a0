# The smallest thing that runs: one cell to try out, in a project of its own, that can be destroyed again.

module "cell" {
  source = "../../modules/cell"

  environment = "dev"
  project_id  = var.project_id
  region      = var.region
  archive     = var.archive
  warm        = false
  runbooks    = "https://example.com/keyfleet/blob/main"
}

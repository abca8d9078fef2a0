output "cells" {
  description = "Of each cell: where its functions are, which topics there are, and what is deployed."
  value = { for name, cell in module.cell : name => {
    base_url  = cell.base_url
    services  = cell.services
    topics    = cell.topics
    addresses = cell.addresses
    archive   = cell.archive
    pipeline  = cell.pipeline
  } }
}

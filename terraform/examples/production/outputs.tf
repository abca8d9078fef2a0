output "addresses" {
  description = "What vendors are asked to allow."
  value       = module.cell.addresses
}

output "pipeline" {
  description = "What the pipeline names to exchange its token."
  value       = module.cell.pipeline
}

output "topics" {
  description = "Where neighbours publish and listen."
  value       = module.cell.topics
}

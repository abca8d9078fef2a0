output "base_url" {
  description = "Where functions are served: an address is this, a slash and a name, and so is its audience."
  value       = local.place.base_url
}

output "services" {
  description = "Where each service is reached."
  value       = module.functions.services
}

output "topics" {
  description = "The id of each topic, for neighbours that publish or listen."
  value       = module.topics.ids
}

output "accounts" {
  description = "The e-mail address of each account."
  value       = module.accounts.emails
}

output "addresses" {
  description = "The addresses that vendors see; none where they may be any of Google's."
  value       = flatten(module.egress[*].addresses)
}

output "archive" {
  description = "What is deployed: the archive's object, named for what is in it."
  value       = module.functions.archive
}

output "pipeline" {
  description = "What the pipeline names to exchange its token; null where there is none."
  value       = one(module.ci[*].provider)
}

output "subjects" {
  description = "The unique id of each account: what another cloud may know it by, such as the bucket of the witness."
  value       = module.accounts.subjects
}

output "on_trial" {
  description = "Adapters' next builds that are deployed beside the present ones; none without a next archive."
  value       = module.functions.on_trial
}

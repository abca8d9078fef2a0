output "emails" {
  description = "The e-mail address of each account, by its name."
  value       = { for name, account in google_service_account.this : name => account.email }
}

output "members" {
  description = "Each account as an IAM member, by its name."
  value       = local.members
}

output "ids" {
  description = "The id of each account, by its name."
  value       = { for name, account in google_service_account.this : name => account.id }
}

output "subjects" {
  description = "The unique id of each account, by its name: what another cloud may know it by."
  value       = { for name, account in google_service_account.this : name => account.unique_id }
}

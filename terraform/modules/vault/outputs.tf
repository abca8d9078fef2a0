output "at_rest" {
  description = "The key that encrypts what rests; null where Google's own does."
  value       = one(google_kms_crypto_key.at_rest[*].id)
  depends_on  = [google_kms_crypto_key_iam_member.at_rest]
}

output "keys" {
  description = "The key of each purpose."
  value       = local.keys
}

output "base_url" {
  description = "Where functions are served."
  value       = module.cell.base_url
}

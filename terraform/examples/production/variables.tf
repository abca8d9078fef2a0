variable "project_id" {
  description = "A project of the cell's own, with billing."
  type        = string
}

variable "archive" {
  description = "Path of the archive that `python -m infra.archive` makes."
  type        = string
  default     = "../../../build/keyfleet.zip"
}

variable "producers" {
  description = "Who publishes for each neighbouring service, as IAM members."
  type        = map(list(string))
}

variable "billing_account" {
  description = "The account that the budget is set on."
  type        = string
}

variable "pager" {
  description = "The webhook of whoever is on call; its address holds a token."
  type        = string
  sensitive   = true
}

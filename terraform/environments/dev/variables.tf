variable "cells" {
  description = "The cells of this environment, by name: each a project and a region of its own."
  type = map(object({
    project_id            = string
    region                = string
    fixed_addresses       = optional(number, 0)
    customer_managed_keys = optional(bool, false)
    producers             = optional(map(list(string)), {})
    channels              = optional(list(string), [])
  }))

  validation {
    condition     = length(var.cells) > 0 && length(distinct([for cell in var.cells : cell.project_id])) == length(var.cells)
    error_message = "Every cell has a project of its own."
  }
}

variable "archive" {
  description = "Path of the archive that `python -m infra.archive` makes."
  type        = string
}

variable "next_archive" {
  description = "Path of the archive on trial, while there is one."
  type        = string
  default     = null
}

variable "runbooks" {
  description = "The address that `infra/runbooks` of this repository is below."
  type        = string
}

variable "collector" {
  description = "Where functions send traces by OTLP; null sends none."
  type        = string
  default     = null
}

variable "proven_by" {
  description = "What proves a caller to a function that only accounts may call: `signature`, or `iam` where the first hour says so."
  type        = string
  default     = "signature"
}

variable "deployers" {
  description = "Who may deploy functions, as IAM members."
  type        = list(string)
  default     = []
}

variable "operators" {
  description = "Who may call functions as `operator`, as IAM members."
  type        = list(string)
  default     = []
}

variable "pipeline" {
  description = "The pipeline that may deploy: who signs its tokens, its one repository and its one branch."
  type        = object({ issuer = string, repository = string, ref = optional(string, "refs/heads/main") })
  default     = null
}

variable "pager" {
  description = "The webhook of whoever is on call; its address holds a token."
  type        = string
  default     = null
  sensitive   = true
}

variable "budget" {
  description = "What a month of each cell may cost before somebody is told; null asks for no budget."
  type        = object({ billing_account = string, monthly = number, currency = string })
  default     = null
}

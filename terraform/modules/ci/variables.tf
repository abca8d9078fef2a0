variable "project_id" {
  description = "The project of the cell."
  type        = string
}

variable "issuer" {
  description = "Who signs the pipeline's tokens."
  type        = string

  validation {
    condition     = startswith(var.issuer, "https://")
    error_message = "An issuer is an https address."
  }
}

variable "repository" {
  description = "The one repository that may deploy, as `owner/name`."
  type        = string

  validation {
    condition     = can(regex("^[\\w.-]+/[\\w.-]+$", var.repository))
    error_message = "Name one repository as owner/name, without patterns."
  }
}

variable "ref" {
  description = "The one branch that may deploy."
  type        = string
  default     = "refs/heads/main"

  validation {
    condition     = can(regex("^refs/(heads|tags)/[\\w./-]+$", var.ref))
    error_message = "Name one branch as refs/heads/name, without patterns."
  }
}

variable "bucket" {
  description = "The bucket's name, which nobody else at Amazon has."
  type        = string

  validation {
    condition     = can(regex("^[a-z0-9][a-z0-9-]{1,54}[a-z0-9]$", var.bucket))
    error_message = "Small letters, digits and dashes; the role is called by it too."
  }
}

variable "cell" {
  description = "The cell that it witnesses: objects lie below its name."
  type        = string
}

variable "subject" {
  description = "The unique id of the cell's account `audit-witness`, in digits: output `subjects` of the cell."
  type        = string

  validation {
    condition     = can(regex("^\\d{15,25}$", var.subject))
    error_message = "An account's unique id is a number; its e-mail address can be given to another."
  }
}

variable "audience" {
  description = "For whom the function asks its token: SESSION of functions/audit/bucket.py."
  type        = string
  default     = "keyfleet-audit-witness"
}

variable "retention_days" {
  description = "How long an object stays that bears no date of its own."
  type        = number
  default     = 2557

  validation {
    condition     = var.retention_days >= 2557
    error_message = "Regulated events are kept for seven years (B §4)."
  }
}

variable "tags" {
  description = "Tags of everything that can bear them."
  type        = map(string)
  default     = {}
}

variable "project_id" {
  description = "The project of the cell."
  type        = string
}

variable "project_number" {
  description = "Its number, by which Google's own accounts are called."
  type        = string
}

variable "region" {
  description = "The region of the cell: messages rest nowhere else."
  type        = string
}

variable "topics" {
  description = "Table `topics` of the plan."
  type = map(object({
    direction    = string
    producer     = optional(string)
    message_days = number
    parked       = bool
  }))
}

variable "sinks" {
  description = "Table `sinks` of the plan."
  type        = map(object({ days = number, merkle_anchored = bool }))
}

variable "grants" {
  description = "Table `grants` of the plan: those on topics are made here."
  type        = map(object({ account = string, role = string, on = string, target = string }))
}

variable "members" {
  description = "Each account as an IAM member, by its name."
  type        = map(string)
}

variable "producers" {
  description = "Who publishes for each neighbouring service, as IAM members."
  type        = map(list(string))
  default     = {}
}

variable "protected" {
  description = "Whether the copies withstand a `terraform destroy`."
  type        = bool
}

variable "kms_key" {
  description = "The key that messages and copies are encrypted with; null is Google's own."
  type        = string
  default     = null
}

variable "labels" {
  description = "Labels of everything that can bear them."
  type        = map(string)
  default     = {}
}

variable "project_id" {
  description = "The project of the cell."
  type        = string
}

variable "region" {
  description = "The region of the cell."
  type        = string
}

variable "databases" {
  description = "Table `databases` of the plan."
  type = map(object({
    id                     = string
    delete_protection      = bool
    point_in_time_recovery = bool
    backed_up              = bool
  }))
}

variable "indexes" {
  description = "Table `indexes` of the plan."
  type = map(object({
    database    = string
    collection  = string
    query_scope = string
    fields      = list(object({ field_path = string, order = string }))
  }))
}

variable "fields" {
  description = "Table `fields` of the plan: exempt, expiring, or asked for alone."
  type = map(object({
    database   = string
    collection = string
    field      = string
    ttl        = optional(bool, false)
    indexes    = list(object({ order = string, query_scope = string }))
  }))
}

variable "buckets" {
  description = "Table `buckets` of the plan."
  type = map(object({
    retention_days   = number
    retention_locked = bool
    versioned        = bool
    object_retention = bool
  }))
}

variable "grants" {
  description = "Table `grants` of the plan: those on databases and buckets are made here."
  type        = map(object({ account = string, role = string, on = string, target = string }))
}

variable "members" {
  description = "Each account as an IAM member, by its name."
  type        = map(string)
}

variable "protected" {
  description = "Whether databases and records withstand a `terraform destroy`."
  type        = bool
}

variable "kms_key" {
  description = "The key that data at rest is encrypted with; null is Google's own."
  type        = string
  default     = null
}

variable "labels" {
  description = "Labels of everything that can bear them."
  type        = map(string)
  default     = {}
}

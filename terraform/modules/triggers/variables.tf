variable "project_id" {
  description = "The project of the cell."
  type        = string
}

variable "project_number" {
  description = "Its number, by which Google's own accounts are called."
  type        = string
}

variable "region" {
  description = "The region of the cell."
  type        = string
}

variable "base_url" {
  description = "Where functions are served: an address is this, a slash and a name, and so is its audience."
  type        = string
}

variable "functions" {
  description = "Every function that is deployed and can be called."
  type        = set(string)
}

variable "topics" {
  description = "The id of each topic, by its name."
  type        = map(string)
}

variable "subscriptions" {
  description = "Table `subscriptions` of the plan."
  type = map(object({
    topic                   = string
    function                = optional(string)
    caller                  = optional(string)
    ordered                 = bool
    filter                  = string
    expires                 = bool
    retention_days          = number
    ack_deadline_seconds    = number
    minimum_backoff_seconds = optional(number)
    maximum_backoff_seconds = optional(number)
    dead_letter_topic       = optional(string)
    max_delivery_attempts   = optional(number)
  }))
}

variable "queues" {
  description = "Table `queues` of the plan."
  type = map(object({
    function                  = string
    caller                    = string
    max_dispatches_per_second = number
    max_concurrent_dispatches = number
    max_attempts              = number
    min_backoff_seconds       = number
    max_backoff_seconds       = number
    max_retry_seconds         = optional(number)
  }))
}

variable "schedules" {
  description = "Table `schedules` of the plan."
  type = map(object({
    function                 = string
    caller                   = string
    cron                     = string
    zone                     = string
    attempt_deadline_seconds = number
    retries                  = number
    min_backoff_seconds      = number
    max_backoff_seconds      = number
  }))
}

variable "grants" {
  description = "Table `grants` of the plan: those on subscriptions and queues are made here."
  type        = map(object({ account = string, role = string, on = string, target = string }))
}

variable "emails" {
  description = "The e-mail address of each account, by its name."
  type        = map(string)
}

variable "members" {
  description = "Each account as an IAM member, by its name."
  type        = map(string)
}

variable "labels" {
  description = "Labels of everything that can bear them."
  type        = map(string)
  default     = {}
}

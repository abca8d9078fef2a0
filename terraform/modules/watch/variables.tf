variable "project_id" {
  description = "The project of the cell."
  type        = string
}

variable "project_number" {
  description = "Its number, by which a budget knows it."
  type        = string
}

variable "cell" {
  description = "The name of the cell, in every alert."
  type        = string
}

variable "alerts" {
  description = "Table `alerts` of the plan."
  type        = map(object({ severity = string, runbook = string }))
}

variable "signals" {
  description = "Table `signals` of the plan."
  type = map(object({
    title         = string
    filter        = string
    above         = number
    for_seconds   = number
    every_seconds = number
    aligner       = string
    reducer       = string
    by            = list(string)
    runbook       = string
    severity      = string
    silent        = bool
  }))
}

variable "promises" {
  description = "Table `promises` of the plan."
  type = map(object({
    title      = string
    goal       = number
    good_topic = optional(string)
    bad_topic  = optional(string)
    bad_alert  = optional(string)
    good_lines = optional(string)
    bad_lines  = optional(string)
    timed      = optional(string)
    within_ms  = optional(number)
    runbook    = string
  }))
}

variable "counted" {
  description = "Table `counted` of the plan."
  type        = map(object({ filter = string, by = string }))
}

variable "timed" {
  description = "Table `timed` of the plan."
  type        = map(object({ filter = string, field = string, by = string }))
}

variable "runbooks" {
  description = "The address that runbooks are below, so that an alert leads to one."
  type        = string
}

variable "channels" {
  description = "Notification channels that exist already, by their full names."
  type        = list(string)
  default     = []
}

variable "pager" {
  description = "The webhook of whoever is on call; its address holds a token."
  type        = string
  default     = null
  sensitive   = true
}

variable "budget" {
  description = "What a month may cost before somebody is told; null asks for no budget."
  type        = object({ billing_account = string, monthly = number, currency = string })
  default     = null
}

variable "labels" {
  description = "Labels of everything that can bear them."
  type        = map(string)
  default     = {}
}

variable "project_id" {
  description = "The project of the cell."
  type        = string
}

variable "region" {
  description = "The region of the cell."
  type        = string
}

variable "log_retention_days" {
  description = "How long the fleet's log is kept."
  type        = number
}

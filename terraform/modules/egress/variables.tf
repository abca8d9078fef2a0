variable "project_id" {
  description = "The project of the cell."
  type        = string
}

variable "region" {
  description = "The region of the cell."
  type        = string
}

variable "range" {
  description = "The /28 that the connector's machines take their addresses of."
  type        = string
  default     = "10.64.0.0/28"
}

variable "addresses" {
  description = "How many addresses vendors see."
  type        = number
  default     = 1
}

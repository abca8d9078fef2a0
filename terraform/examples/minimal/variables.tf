variable "project_id" {
  description = "An empty project with billing."
  type        = string
}

variable "region" {
  description = "Where to try it."
  type        = string
  default     = "europe-west6"
}

variable "archive" {
  description = "Path of the archive that `python -m infra.archive` makes."
  type        = string
  default     = "../../../build/keyfleet.zip"
}

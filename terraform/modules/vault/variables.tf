variable "project_id" {
  description = "The project of the cell."
  type        = string
}

variable "project_number" {
  description = "Its number: secrets are named by it in conditions."
  type        = string
}

variable "region" {
  description = "The region of the cell."
  type        = string
}

variable "key_ring" {
  description = "The name of the key ring (A §13.1)."
  type        = string
}

variable "keys" {
  description = "Table `keys` of the plan."
  type        = map(object({ rotated_every_days = number, openers = list(string), sealers = list(string) }))
}

variable "grants" {
  description = "Table `grants` of the plan: those on secrets are made here."
  type        = map(object({ account = string, role = string, on = string, target = string }))
}

variable "members" {
  description = "Each account as an IAM member, by its name."
  type        = map(string)
}

variable "customer_managed_keys" {
  description = "Whether a key of the ring encrypts what rests in Google's services."
  type        = bool
}

variable "labels" {
  description = "Labels of everything that can bear them."
  type        = map(string)
  default     = {}
}

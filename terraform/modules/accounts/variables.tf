variable "project_id" {
  description = "The project of the cell."
  type        = string
}

variable "project_number" {
  description = "Its number, by which Google's own accounts are called."
  type        = string
}

variable "identities" {
  description = "Table `identities` of the plan."
  type        = map(object({ kind = string }))
}

variable "grants" {
  description = "Table `grants` of the plan: those on the project and on accounts are made here."
  type        = map(object({ account = string, role = string, on = string, target = string }))
}

variable "builder" {
  description = "The account that builds functions."
  type        = string
}

variable "deployers" {
  description = "Who may deploy functions, as IAM members."
  type        = list(string)
  default     = []
}

variable "operators" {
  description = "Who may call functions as `operator`, as IAM members."
  type        = list(string)
  default     = []
}

variable "project_id" {
  description = "The project of the cell."
  type        = string
}

variable "region" {
  description = "The region of the cell."
  type        = string
}

variable "archive" {
  description = "Path of the archive that `python -m infra.archive` makes."
  type        = string
}

variable "next_archive" {
  description = "Path of the archive on trial, or null: of it every adapter is there once more."
  type        = string
  default     = null
}

variable "next_builds" {
  description = "Table `next_builds` of the plan: what each adapter's next build is called."
  type        = map(object({ of = string }))
}

variable "build" {
  description = "Table `build` of the plan: the runtime, what a build is told, and what starts a service."
  type        = object({ runtime = string, environment = map(string), service_command = string })
}

variable "functions" {
  description = "Table `functions` of the plan."
  type = map(object({
    description     = string
    family          = string
    entry_point     = string
    kind            = string
    trigger         = string
    adapter         = optional(string)
    account         = string
    cpu             = number
    memory          = string
    concurrency     = number
    min_instances   = number
    max_instances   = number
    timeout_seconds = number
    ingress         = string
    open_to_all     = bool
    environment     = map(string)
  }))
}

variable "invokers" {
  description = "Table `invokers` of the plan."
  type        = map(object({ function = string, caller = string }))
}

variable "environment_of_place" {
  description = "Table `environment_of_place` of the plan: which term of `place` a variable holds."
  type        = map(string)
}

variable "place" {
  description = "Where the fleet is, by the plan's terms."
  type        = map(string)
}

variable "emails" {
  description = "The e-mail address of each account, by its name."
  type        = map(string)
}

variable "members" {
  description = "Each account as an IAM member, by its name."
  type        = map(string)
}

variable "builder" {
  description = "The account that builds functions."
  type        = string
}

variable "proven_by" {
  description = "What proves a caller to a function that only accounts may call."
  type        = string
}

variable "collector" {
  description = "Where functions send traces by OTLP; null where nobody collects them."
  type        = string
}

variable "warm" {
  description = "Whether instances wait for the functions that ask for it."
  type        = bool
}

variable "connector" {
  description = "The connector by which adapters leave from fixed addresses; null where they need none."
  type        = string
  default     = null
}

variable "kms_key" {
  description = "The key that source, images and functions are encrypted with; null is Google's own."
  type        = string
  default     = null
}

variable "labels" {
  description = "Labels of everything that can bear them."
  type        = map(string)
  default     = {}
}

variable "project_id" {
  description = "The project of the cell. A cell has one of its own."
  type        = string

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{4,28}[a-z0-9]$", var.project_id))
    error_message = "A project's id has 6 to 30 small letters, digits and dashes, and begins with a letter."
  }
}

variable "region" {
  description = "The one region of the cell, as `me-central1`: tenants that are pinned to it never leave it."
  type        = string

  validation {
    condition     = can(regex("^[a-z]+-[a-z]+\\d{1,2}$", var.region))
    error_message = "Name one region, such as europe-west6: neither a zone nor a continent."
  }
}

variable "cell" {
  description = "The name of the cell, which tenants' records bear; the region unless said otherwise. It never changes."
  type        = string
  default     = null

  validation {
    condition     = var.cell == null ? true : can(regex("^[a-z][a-z0-9-]{1,61}[a-z0-9]$", var.cell))
    error_message = "A cell's name has small letters, digits and dashes."
  }
}

variable "environment" {
  description = "What the cell is for: in `dev` everything can be destroyed again, elsewhere data and records cannot."
  type        = string

  validation {
    condition     = contains(["dev", "stage", "prod"], var.environment)
    error_message = "An environment is dev, stage or prod."
  }
}

variable "archive" {
  description = "Path of the archive that `python -m infra.archive` makes: what functions are built of."
  type        = string

  validation {
    condition     = endswith(var.archive, ".zip")
    error_message = "The archive is the .zip that python -m infra.archive makes."
  }
}

variable "next_archive" {
  description = "Path of the archive on trial (`keyfleet canary`), while there is one: adapters are deployed of it once more, beside the present ones."
  type        = string
  default     = null

  validation {
    condition     = var.next_archive == null ? true : endswith(var.next_archive, ".zip")
    error_message = "The archive on trial is a .zip that python -m infra.archive makes."
  }
}

variable "warm" {
  description = "Whether instances wait for the functions that ask for it. It costs, and saves a second a key."
  type        = bool
  default     = true
}

variable "proven_by" {
  description = "What proves a caller to a function that only accounts may call: a token's `signature`; or `iam`, where Google takes that away after its own check (finding 5; the first hour tells)."
  type        = string
  default     = "signature"

  validation {
    condition     = contains(["signature", "iam"], var.proven_by)
    error_message = "A caller is proven by signature or by iam."
  }
}

variable "collector" {
  description = "The address to which functions send traces by OTLP over HTTP; null sends none. Google's own, `https://telemetry.googleapis.com`, wants `roles/telemetry.tracesWriter` of whoever writes."
  type        = string
  default     = null

  validation {
    condition     = var.collector == null || can(regex("^https?://[a-z0-9.-]+(:[0-9]+)?$", var.collector))
    error_message = "A collector is an address such as https://collector.example.com:4318, without a path."
  }
}

variable "customer_managed_keys" {
  description = "Whether a key of the cell's own ring encrypts what rests in Google's services (A §13.1, Plus tier). Set it at the first apply: a database never changes it."
  type        = bool
  default     = false
}

variable "fixed_addresses" {
  description = "How many fixed addresses adapters call vendors from; 0 is any of Google's."
  type        = number
  default     = 0

  validation {
    condition     = var.fixed_addresses >= 0 && var.fixed_addresses <= 8 && floor(var.fixed_addresses) == var.fixed_addresses
    error_message = "Between none and eight addresses."
  }
}

variable "producers" {
  description = "Who publishes for each neighbouring service, as `reservation-service = [\"serviceAccount:…\"]`."
  type        = map(list(string))
  default     = {}

  validation {
    condition     = alltrue([for member in flatten(values(var.producers)) : can(regex("^(serviceAccount|principal|principalSet|group):", member))])
    error_message = "A producer is a service account, a group or a workload's principal: nobody else publishes bookings."
  }
}

variable "deployers" {
  description = "Who may deploy functions, as IAM members."
  type        = list(string)
  default     = []

  validation {
    condition     = alltrue([for member in var.deployers : !startswith(member, "all")])
    error_message = "Not everybody may deploy."
  }
}

variable "operators" {
  description = "Who may call functions as `operator`, as IAM members."
  type        = list(string)
  default     = []

  validation {
    condition     = alltrue([for member in var.operators : !startswith(member, "all")])
    error_message = "Not everybody is an operator."
  }
}

variable "pipeline" {
  description = "The pipeline that may deploy: who signs its tokens, its one repository and its one branch."
  type        = object({ issuer = string, repository = string, ref = optional(string, "refs/heads/main") })
  default     = null
}

variable "log_retention_days" {
  description = "How long the fleet's log is kept (A §13.3)."
  type        = number
  default     = 90

  validation {
    condition     = var.log_retention_days >= 1 && var.log_retention_days <= 3650
    error_message = "Between one day and ten years."
  }
}

variable "runbooks" {
  description = "The address that `infra/runbooks` of this repository is below, so that an alert leads to its page."
  type        = string

  validation {
    condition     = startswith(var.runbooks, "https://")
    error_message = "Give an https address that whoever is woken can open."
  }
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
  description = "Labels of everything that can bear them, beside app, cell and environment."
  type        = map(string)
  default     = {}
}

variable "project_id" {
  description = "The project of the cell."
  type        = string
}

variable "region" {
  description = "The region of the cell."
  type        = string
}

variable "sources" {
  description = "The folder that `source` of each workflow is below."
  type        = string
}

variable "workflows" {
  description = "Table `workflows` of the plan."
  type = map(object({
    description             = string
    source                  = string
    account                 = string
    environment             = map(string)
    environment_of_fleet    = map(string)
    call_log_level          = string
    execution_history_level = string
    calls                   = set(string)
  }))
}

variable "functions" {
  description = "Every function that is deployed and can be called."
  type        = set(string)
}

variable "place" {
  description = "Where the fleet is, by the plan's terms."
  type        = map(string)
}

variable "ids" {
  description = "The id of each account, by its name."
  type        = map(string)
}

variable "kms_key" {
  description = "The key that workflows and executions are encrypted with; null is Google's own."
  type        = string
  default     = null
}

variable "labels" {
  description = "Labels of everything that can bear them."
  type        = map(string)
  default     = {}
}

# The sagas: each as its own account, told where functions are, deployed after those that it calls.

resource "google_workflows_workflow" "this" {
  for_each = var.workflows

  project                 = var.project_id
  region                  = var.region
  name                    = each.key
  description             = each.value.description
  service_account         = var.ids[each.value.account]
  source_contents         = file("${var.sources}/${each.value.source}")
  call_log_level          = each.value.call_log_level
  execution_history_level = each.value.execution_history_level
  user_env_vars           = merge(each.value.environment, { for name, term in each.value.environment_of_fleet : name => var.place[term] })
  crypto_key_name         = var.kms_key
  deletion_protection     = false
  labels                  = var.labels

  lifecycle {
    precondition {
      condition     = length(setsubtract(each.value.calls, var.functions)) == 0
      error_message = "${each.key} calls what is not deployed: ${join(", ", setsubtract(each.value.calls, var.functions))}."
    }
  }
}

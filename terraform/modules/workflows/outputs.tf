output "revisions" {
  description = "The revision of each workflow that new executions run."
  value       = { for name, workflow in google_workflows_workflow.this : name => workflow.revision_id }
}

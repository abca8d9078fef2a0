# One repository and one branch, without patterns: what a condition takes in is who may deploy.

variables {
  project_id = "hotel-locks-try"
  issuer     = "https://token.actions.githubusercontent.com"
  repository = "example/keyfleet"
}

run "one_repository_and_one_branch_are_let_in" {
  command = plan

  assert {
    condition     = google_iam_workload_identity_pool_provider.this.attribute_condition == "assertion.repository == \"example/keyfleet\" && assertion.ref == \"refs/heads/main\""
    error_message = "Every token of the issuer would be let in."
  }
}

run "a_pattern_is_no_repository" {
  command = plan

  variables {
    repository = "example/*"
  }

  expect_failures = [var.repository]
}

run "a_pattern_is_no_branch" {
  command = plan

  variables {
    ref = "refs/heads/*"
  }

  expect_failures = [var.ref]
}

run "an_issuer_is_reached_over_https" {
  command = plan

  variables {
    issuer = "http://token.example.com"
  }

  expect_failures = [var.issuer]
}

# What a cell refuses to be told, and what it is when told little.

variables {
  environment = "dev"
  project_id  = "hotel-locks-try"
  region      = "europe-west6"
  archive     = "../../../build/keyfleet.zip"
  runbooks    = "https://example.com/keyfleet/blob/main"
}

run "a_cell_told_little_is_named_for_its_region" {
  command = plan

  assert {
    condition     = output.base_url == "https://europe-west6-hotel-locks-try.cloudfunctions.net"
    error_message = "Functions are served below the region and the project."
  }

  assert {
    condition     = length(output.addresses) == 0 && output.pipeline == null
    error_message = "Nothing is made that nobody asked for."
  }

  assert {
    condition     = startswith(output.archive, "keyfleet-") && length(output.archive) == 77
    error_message = "The archive is named for what is in it."
  }
}

run "a_zone_is_no_region" {
  command = plan

  variables {
    region = "europe-west6-a"
  }

  expect_failures = [var.region]
}

run "a_continent_is_no_region" {
  command = plan

  variables {
    region = "eu"
  }

  expect_failures = [var.region]
}

run "a_project_has_an_id" {
  command = plan

  variables {
    project_id = "Hotel Locks"
  }

  expect_failures = [var.project_id]
}

run "an_environment_is_one_of_three" {
  command = plan

  variables {
    environment = "production"
  }

  expect_failures = [var.environment]
}

run "not_everybody_is_an_operator" {
  command = plan

  variables {
    operators = ["allAuthenticatedUsers"]
  }

  expect_failures = [var.operators]
}

run "not_everybody_deploys" {
  command = plan

  variables {
    deployers = ["allUsers"]
  }

  expect_failures = [var.deployers]
}

run "bookings_are_published_by_services" {
  command = plan

  variables {
    producers = { reservation-service = ["user:somebody@example.com"] }
  }

  expect_failures = [var.producers]
}

run "a_page_can_be_opened" {
  command = plan

  variables {
    runbooks = "infra/runbooks"
  }

  expect_failures = [var.runbooks]
}

run "an_archive_is_a_zip" {
  command = plan

  variables {
    archive = "../../../functions"
  }

  expect_failures = [var.archive]
}

run "half_an_address_is_none" {
  command = plan

  variables {
    fixed_addresses = 0.5
  }

  expect_failures = [var.fixed_addresses]
}

run "an_archive_on_trial_is_a_zip" {
  command = plan

  variables {
    next_archive = "../../../functions"
  }

  expect_failures = [var.next_archive]
}

run "a_next_archive_makes_each_adapter_once_more" {
  command = plan

  variables {
    next_archive = "../../../build/keyfleet.zip"
  }

  assert {
    condition     = contains(output.on_trial, "adapter-ttlock-next") && alltrue([for name in output.on_trial : endswith(name, "-next")])
    error_message = "Every adapter is there once more, built of the next archive."
  }
}

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

# All in one, for a plan is what costs: each that is named must be refused by its own condition, or the run fails.
run "what_a_cell_refuses" {
  command = plan

  variables {
    project_id      = "Hotel Locks"                                           # a project has an id
    region          = "europe-west6-a"                                        # a zone is no region
    environment     = "production"                                            # an environment is one of three
    operators       = ["allAuthenticatedUsers"]                               # not everybody is an operator
    deployers       = ["allUsers"]                                            # not everybody deploys
    producers       = { reservation-service = ["user:somebody@example.com"] } # bookings are published by services
    runbooks        = "infra/runbooks"                                        # a page can be opened
    archive         = "../../../functions"                                    # an archive is a zip
    next_archive    = "../../../functions"                                    # so is one on trial
    fixed_addresses = 0.5                                                     # half an address is none
  }

  expect_failures = [
    var.project_id,
    var.region,
    var.environment,
    var.operators,
    var.deployers,
    var.producers,
    var.runbooks,
    var.archive,
    var.next_archive,
    var.fixed_addresses,
  ]
}

run "a_continent_is_no_region" {
  command = plan

  variables {
    region = "eu"
  }

  expect_failures = [var.region]
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

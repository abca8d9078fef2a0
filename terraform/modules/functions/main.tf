# The archive, and of it every function and service, each as its own account, called by whom the plan names.

locals {
  # While a next archive is on trial, each adapter is there once more, built of it: the same account, rights and callers.
  on_trial = { for name, each in var.next_builds : name => each.of if var.next_archive != null }

  hosted = merge(var.functions, { for name, of in local.on_trial : name => var.functions[of] })

  functions = { for name, each in local.hosted : name => each if each.kind == "function" }
  services  = { for name, each in local.hosted : name => each if each.kind == "service" }

  builds = { for name, each in local.functions : name => contains(keys(local.on_trial), name) ? one(google_storage_bucket_object.next) : google_storage_bucket_object.archive }

  # Functions that call on a vendor leave by the fixed addresses, where there are any.
  leaves_by = { for name, each in local.hosted : name => each.adapter == null ? null : var.connector }

  told = { for name, each in local.hosted : name => merge(
    { for variable, term in var.environment_of_place : variable => var.place[term] },
    each.environment,
    {
      KEYFLEET_AUDIENCE = "${var.place["base_url"]}/${name}"
      KEYFLEET_BUILD    = substr(filesha256(contains(keys(local.on_trial), name) ? var.next_archive : var.archive), 0, 12)
    },
    var.collector == null ? {} : { OTEL_EXPORTER_OTLP_ENDPOINT = var.collector },
    var.proven_by == "signature" || each.open_to_all ? {} : { KEYFLEET_PROVEN_BY = var.proven_by },
  ) }

  callers = merge(
    { for key, pair in var.invokers : key => { function = pair.function, member = var.members[pair.caller] } },
    { for name, each in var.functions : "${name}/allUsers" => { function = name, member = "allUsers" } if each.open_to_all },
    merge([for name, of in local.on_trial : {
      for pair in var.invokers : "${name}/${pair.caller}" => { function = name, member = var.members[pair.caller] } if pair.function == of
    }]...),
  )
}

resource "google_storage_bucket" "source" {
  project                     = var.project_id
  name                        = "${var.project_id}-lock-source"
  location                    = var.region
  uniform_bucket_level_access = true
  public_access_prevention    = "enforced"
  force_destroy               = true
  labels                      = var.labels

  versioning {
    enabled = true
  }

  # What is rolled back to is still there a quarter later.
  lifecycle_rule {
    action {
      type = "Delete"
    }

    condition {
      days_since_noncurrent_time = 90
      num_newer_versions         = 5
    }
  }

  dynamic "encryption" {
    for_each = var.kms_key[*]

    content {
      default_kms_key_name = encryption.value
    }
  }
}

# Named for what is in it: the same tree is the same object, and another one is a new deployment.
resource "google_storage_bucket_object" "archive" {
  name   = "keyfleet-${filesha256(var.archive)}.zip"
  bucket = google_storage_bucket.source.name
  source = var.archive
}

resource "google_storage_bucket_object" "next" {
  count = var.next_archive == null ? 0 : 1

  name   = "keyfleet-${filesha256(var.next_archive)}.zip"
  bucket = google_storage_bucket.source.name
  source = var.next_archive
}

resource "google_artifact_registry_repository" "images" {
  project       = var.project_id
  location      = var.region
  repository_id = "keyfleet"
  description   = "Images of the fleet's functions and services"
  format        = "DOCKER"
  kms_key_name  = var.kms_key
  labels        = var.labels

  cleanup_policies {
    id     = "keep-what-may-be-rolled-back-to"
    action = "KEEP"

    most_recent_versions {
      keep_count = 5
    }
  }

  cleanup_policies {
    id     = "delete-the-rest"
    action = "DELETE"

    condition {
      older_than = "2592000s"
    }
  }
}

resource "google_cloudfunctions2_function" "this" {
  for_each = local.functions

  project      = var.project_id
  location     = var.region
  name         = each.key
  description  = each.value.description
  kms_key_name = var.kms_key
  labels       = merge(var.labels, { family = each.value.family, trigger = each.value.trigger })

  build_config {
    runtime               = var.build.runtime
    entry_point           = each.value.entry_point
    service_account       = var.builder
    docker_repository     = google_artifact_registry_repository.images.id
    environment_variables = var.build.environment

    source {
      storage_source {
        bucket = google_storage_bucket.source.name
        object = local.builds[each.key].name
      }
    }
  }

  service_config {
    service_account_email            = var.emails[each.value.account]
    available_cpu                    = tostring(each.value.cpu)
    available_memory                 = each.value.memory
    max_instance_request_concurrency = each.value.concurrency
    min_instance_count               = var.warm ? each.value.min_instances : 0
    max_instance_count               = each.value.max_instances
    timeout_seconds                  = each.value.timeout_seconds
    ingress_settings                 = each.value.ingress
    all_traffic_on_latest_revision   = true
    environment_variables            = local.told[each.key]
    vpc_connector                    = local.leaves_by[each.key]
    vpc_connector_egress_settings    = local.leaves_by[each.key] == null ? null : "ALL_TRAFFIC"
  }
}

# An application of its own has paths, streams and sockets; it is built of the same archive. No address below the
# base URL leads to it, so the audience that tokens for it bear is told to Cloud Run.
resource "google_cloud_run_v2_service" "this" {
  for_each = local.services

  project             = var.project_id
  location            = var.region
  name                = each.key
  description         = each.value.description
  ingress             = local.run_ingress[each.value.ingress]
  custom_audiences    = [local.told[each.key]["KEYFLEET_AUDIENCE"]]
  deletion_protection = false
  labels              = merge(var.labels, { family = each.value.family, trigger = each.value.trigger })

  build_config {
    source_location       = "gs://${google_storage_bucket.source.name}/${google_storage_bucket_object.archive.name}"
    image_uri             = "${var.region}-docker.pkg.dev/${var.project_id}/${google_artifact_registry_repository.images.repository_id}/${each.key}"
    service_account       = var.builder
    environment_variables = merge(var.build.environment, { GOOGLE_ENTRYPOINT = var.build.service_command })
  }

  template {
    service_account                  = var.emails[each.value.account]
    encryption_key                   = var.kms_key
    timeout                          = "${each.value.timeout_seconds}s"
    max_instance_request_concurrency = each.value.concurrency

    scaling {
      min_instance_count = var.warm ? each.value.min_instances : 0
      max_instance_count = each.value.max_instances
    }

    containers {
      image          = "${var.region}-docker.pkg.dev/${var.project_id}/${google_artifact_registry_repository.images.repository_id}/${each.key}"
      base_image_uri = "${var.region}-docker.pkg.dev/serverless-runtimes/google-22/runtimes/${var.build.runtime}"

      resources {
        limits            = { cpu = tostring(each.value.cpu), memory = each.value.memory }
        startup_cpu_boost = true
      }

      dynamic "env" {
        for_each = merge(local.told[each.key], { FUNCTION_TARGET = each.value.entry_point })

        content {
          name  = env.key
          value = env.value
        }
      }
    }

    dynamic "vpc_access" {
      for_each = local.leaves_by[each.key][*]

      content {
        connector = vpc_access.value
        egress    = "ALL_TRAFFIC"
      }
    }
  }
}

locals {
  run_ingress = { ALLOW_ALL = "INGRESS_TRAFFIC_ALL", ALLOW_INTERNAL_ONLY = "INGRESS_TRAFFIC_INTERNAL_ONLY" }

  # Stand here because Terraform works out what stands at a resource anew for each of its rows (decision 0282).
  names = merge(
    { for name, function in google_cloudfunctions2_function.this : name => function.name },
    { for name, service in google_cloud_run_v2_service.this : name => service.name },
  )
}

# On the service behind a function, for that is what is called; the handler asks the same again (`callers`).
resource "google_cloud_run_service_iam_member" "invoker" {
  for_each = local.callers

  project  = var.project_id
  location = var.region
  service  = local.names[each.value.function]
  role     = "roles/run.invoker"
  member   = each.value.member
}

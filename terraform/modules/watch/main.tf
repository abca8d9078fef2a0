# Who is woken, for what, and where they look: every policy names its page.

locals {
  channels = concat(var.channels, google_monitoring_notification_channel.pager[*].name)

  alarms = merge(
    { for message, alert in var.alerts : message => "resource.type=\"cloud_run_revision\" AND severity=\"${alert.severity}\" AND jsonPayload.message=\"${message}\"" },
  )

  burning = merge([
    for name, promise in var.promises : {
      "${name}/fast" = { name = name, promise = promise, window = "3600s", rate = 14.4, severity = "CRITICAL" }
      "${name}/slow" = { name = name, promise = promise, window = "21600s", rate = 6, severity = "WARNING" }
    }
  ]...)

  lines       = "resource.type=\"cloud_run_revision\" metric.type=\"logging.googleapis.com/user/keyfleet/"
  topic_sends = "metric.type=\"pubsub.googleapis.com/topic/send_request_count\" resource.type=\"pubsub_topic\" resource.label.topic_id="
}

# A chart a signal, a promise's burn rate, and what is timed or counted of each vendor.
locals {
  charts = concat(
    [for name in sort(keys(var.signals)) : {
      title      = var.signals[name].title
      filter     = var.signals[name].filter
      thresholds = [var.signals[name].above]
      aggregation = {
        alignmentPeriod    = "${var.signals[name].every_seconds}s"
        perSeriesAligner   = var.signals[name].aligner
        crossSeriesReducer = var.signals[name].reducer
        groupByFields      = var.signals[name].by
      }
    }],
    [for name in sort(keys(var.promises)) : {
      title      = var.promises[name].title
      filter     = "select_slo_burn_rate(\"${google_monitoring_slo.promise[name].name}\", \"3600s\")"
      thresholds = [14.4]
      aggregation = {
        alignmentPeriod    = "300s"
        perSeriesAligner   = "ALIGN_MEAN"
        crossSeriesReducer = "REDUCE_NONE"
        groupByFields      = []
      }
    }],
    [for name in sort(keys(var.timed)) : {
      title      = "${name}: 95 of 100 are within"
      filter     = "${local.lines}${name}\""
      thresholds = [for promise in values(var.promises) : promise.within_ms if promise.timed == name]
      aggregation = {
        alignmentPeriod    = "300s"
        perSeriesAligner   = "ALIGN_PERCENTILE_95"
        crossSeriesReducer = "REDUCE_MAX"
        groupByFields      = ["metric.label.about"]
      }
    }],
    [for name in sort(distinct(compact(values(var.promises)[*].bad_lines))) : {
      title      = name
      filter     = "${local.lines}${name}\""
      thresholds = []
      aggregation = {
        alignmentPeriod    = "300s"
        perSeriesAligner   = "ALIGN_DELTA"
        crossSeriesReducer = "REDUCE_SUM"
        groupByFields      = ["metric.label.about"]
      }
    }],
  )
}

resource "google_monitoring_notification_channel" "pager" {
  count = var.pager == null ? 0 : 1

  project      = var.project_id
  display_name = "Whoever is on call for locks"
  type         = "webhook_tokenauth"
  labels       = { url = var.pager }
}

resource "google_logging_metric" "counted" {
  for_each = var.counted

  project          = var.project_id
  name             = "keyfleet/${each.key}"
  description      = "Lines of the fleet's log, by ${each.value.by}"
  filter           = "resource.type=\"cloud_run_revision\" AND ${each.value.filter}"
  label_extractors = { about = "EXTRACT(jsonPayload.${each.value.by})" }

  metric_descriptor {
    metric_kind = "DELTA"
    value_type  = "INT64"
    unit        = "1"

    labels {
      key        = "about"
      value_type = "STRING"
    }
  }
}

# How long something took, by a field of the lines that tell of it: from a millisecond to ten minutes.
resource "google_logging_metric" "timed" {
  for_each = var.timed

  project          = var.project_id
  name             = "keyfleet/${each.key}"
  description      = "Milliseconds told in the fleet's log, by ${each.value.by}"
  filter           = "resource.type=\"cloud_run_revision\" AND ${each.value.filter}"
  value_extractor  = "EXTRACT(jsonPayload.${each.value.field})"
  label_extractors = { about = "EXTRACT(jsonPayload.${each.value.by})" }

  metric_descriptor {
    metric_kind = "DELTA"
    value_type  = "DISTRIBUTION"
    unit        = "ms"

    labels {
      key        = "about"
      value_type = "STRING"
    }
  }

  bucket_options {
    exponential_buckets {
      num_finite_buckets = 72
      growth_factor      = 1.2
      scale              = 1
    }
  }
}

# What the code says somebody must be woken for.
resource "google_monitoring_alert_policy" "said" {
  for_each = local.alarms

  project               = var.project_id
  display_name          = "keyfleet ${var.cell}: ${each.key}"
  combiner              = "OR"
  severity              = "CRITICAL"
  notification_channels = local.channels
  user_labels           = var.labels

  documentation {
    mime_type = "text/markdown"
    subject   = "${var.cell}: ${each.key}"
    content   = "What to do: [${var.alerts[each.key].runbook}](${var.runbooks}/${var.alerts[each.key].runbook})"
  }

  conditions {
    display_name = each.key

    condition_matched_log {
      filter           = each.value
      label_extractors = { tenant = "EXTRACT(jsonPayload.tenantId)", key = "EXTRACT(jsonPayload.keyCredentialId)" }
    }
  }

  alert_strategy {
    auto_close = "86400s"

    notification_rate_limit {
      period = "300s"
    }
  }
}

# What Google measures and we judge.
resource "google_monitoring_alert_policy" "measured" {
  for_each = var.signals

  project               = var.project_id
  display_name          = "keyfleet ${var.cell}: ${each.value.title}"
  combiner              = "OR"
  severity              = each.value.severity
  notification_channels = local.channels
  user_labels           = var.labels

  documentation {
    mime_type = "text/markdown"
    subject   = "${var.cell}: ${each.key}"
    content   = "What to do: [${each.value.runbook}](${var.runbooks}/${each.value.runbook})"
  }

  conditions {
    display_name = each.value.title

    dynamic "condition_threshold" {
      for_each = each.value.silent ? [] : [each.value]

      content {
        filter          = condition_threshold.value.filter
        comparison      = "COMPARISON_GT"
        threshold_value = condition_threshold.value.above
        duration        = "${condition_threshold.value.for_seconds}s"

        aggregations {
          alignment_period     = "${condition_threshold.value.every_seconds}s"
          per_series_aligner   = condition_threshold.value.aligner
          cross_series_reducer = condition_threshold.value.reducer
          group_by_fields      = condition_threshold.value.by
        }
      }
    }

    dynamic "condition_absent" {
      for_each = each.value.silent ? [each.value] : []

      content {
        filter   = condition_absent.value.filter
        duration = "${condition_absent.value.for_seconds}s"

        aggregations {
          alignment_period     = "${condition_absent.value.every_seconds}s"
          per_series_aligner   = condition_absent.value.aligner
          cross_series_reducer = condition_absent.value.reducer
          group_by_fields      = condition_absent.value.by
        }
      }
    }
  }

  alert_strategy {
    auto_close = "86400s"
  }
}

resource "google_monitoring_custom_service" "keys" {
  project      = var.project_id
  service_id   = "keyfleet-${var.cell}"
  display_name = "Keys in ${var.cell}"
  user_labels  = var.labels
}

resource "google_monitoring_slo" "promise" {
  for_each = var.promises

  project             = var.project_id
  service             = google_monitoring_custom_service.keys.service_id
  slo_id              = each.key
  display_name        = each.value.title
  goal                = each.value.goal
  rolling_period_days = 28
  user_labels         = var.labels
  depends_on          = [google_logging_metric.counted, google_logging_metric.timed]

  request_based_sli {
    dynamic "good_total_ratio" {
      for_each = each.value.timed == null ? [each.value] : []

      content {
        good_service_filter = good_total_ratio.value.good_topic != null ? "${local.topic_sends}\"${good_total_ratio.value.good_topic}\"" : "${local.lines}${good_total_ratio.value.good_lines}\""
        bad_service_filter = (
          good_total_ratio.value.bad_topic != null ? "${local.topic_sends}\"${good_total_ratio.value.bad_topic}\"" :
          good_total_ratio.value.bad_lines != null ? "${local.lines}${good_total_ratio.value.bad_lines}\"" :
          "${local.lines}alerts\" metric.label.about=\"${good_total_ratio.value.bad_alert}\""
        )
      }
    }

    dynamic "distribution_cut" {
      for_each = each.value.timed == null ? [] : [each.value]

      content {
        distribution_filter = "${local.lines}${distribution_cut.value.timed}\""

        range {
          max = distribution_cut.value.within_ms
        }
      }
    }
  }
}

resource "google_monitoring_alert_policy" "burning" {
  for_each = local.burning

  project               = var.project_id
  display_name          = "keyfleet ${var.cell}: ${each.value.name} is broken too often (${each.value.window})"
  combiner              = "OR"
  severity              = each.value.severity
  notification_channels = local.channels
  user_labels           = var.labels

  documentation {
    mime_type = "text/markdown"
    subject   = "${var.cell}: ${each.value.name}"
    content   = "What to do: [${each.value.promise.runbook}](${var.runbooks}/${each.value.promise.runbook})"
  }

  conditions {
    display_name = "burn rate above ${each.value.rate}"

    condition_threshold {
      filter          = "select_slo_burn_rate(\"${google_monitoring_slo.promise[each.value.name].name}\", \"${each.value.window}\")"
      comparison      = "COMPARISON_GT"
      threshold_value = each.value.rate
      duration        = "0s"
    }
  }

  alert_strategy {
    auto_close = "86400s"
  }
}

resource "google_monitoring_dashboard" "this" {
  project = var.project_id

  dashboard_json = jsonencode({
    displayName = "keyfleet ${var.cell}"
    mosaicLayout = {
      columns = 12
      tiles = [for index, chart in local.charts : {
        xPos   = 6 * (index % 2)
        yPos   = 4 * floor(index / 2)
        width  = 6
        height = 4
        widget = {
          title = chart.title
          xyChart = {
            dataSets   = [{ plotType = "LINE", timeSeriesQuery = { timeSeriesFilter = { filter = chart.filter, aggregation = chart.aggregation } } }]
            thresholds = [for each in chart.thresholds : { value = each }]
          }
        }
      }]
    }
  })
}

resource "google_billing_budget" "this" {
  count = var.budget == null ? 0 : 1

  billing_account = var.budget.billing_account
  display_name    = "keyfleet ${var.cell}"

  budget_filter {
    projects = ["projects/${var.project_number}"]
  }

  amount {
    specified_amount {
      currency_code = var.budget.currency
      units         = tostring(var.budget.monthly)
    }
  }

  dynamic "threshold_rules" {
    for_each = toset([0.5, 0.9, 1.0])

    content {
      threshold_percent = threshold_rules.value
    }
  }

  threshold_rules {
    threshold_percent = 1.2
    spend_basis       = "FORECASTED_SPEND"
  }

  all_updates_rule {
    monitoring_notification_channels = slice(local.channels, 0, min(5, length(local.channels)))
  }
}

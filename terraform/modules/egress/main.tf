# Fixed addresses for vendors that ask whence we call: a network with one way out.

resource "google_compute_network" "this" {
  project                 = var.project_id
  name                    = "keyfleet"
  auto_create_subnetworks = false
}

resource "google_compute_subnetwork" "connector" {
  project                  = var.project_id
  region                   = var.region
  name                     = "keyfleet-connector"
  network                  = google_compute_network.this.id
  ip_cidr_range            = var.range
  private_ip_google_access = true
}

resource "google_vpc_access_connector" "this" {
  project       = var.project_id
  region        = var.region
  name          = "keyfleet"
  machine_type  = "e2-micro"
  min_instances = 2
  max_instances = 3

  subnet {
    project_id = var.project_id
    name       = google_compute_subnetwork.connector.name
  }
}

resource "google_compute_address" "out" {
  count = var.addresses

  project      = var.project_id
  region       = var.region
  name         = "keyfleet-out-${count.index}"
  address_type = "EXTERNAL"

  lifecycle {
    prevent_destroy = true
  }
}

resource "google_compute_router" "this" {
  project = var.project_id
  region  = var.region
  name    = "keyfleet"
  network = google_compute_network.this.id
}

resource "google_compute_router_nat" "this" {
  project                            = var.project_id
  region                             = var.region
  name                               = "keyfleet"
  router                             = google_compute_router.this.name
  nat_ip_allocate_option             = "MANUAL_ONLY"
  nat_ips                            = google_compute_address.out[*].self_link
  source_subnetwork_ip_ranges_to_nat = "ALL_SUBNETWORKS_ALL_IP_RANGES"

  log_config {
    enable = true
    filter = "ERRORS_ONLY"
  }
}

terraform {
  required_version = ">= 1.9"

  required_providers {
    google = {
      source  = "hashicorp/google"
      version = ">= 6.50, < 7.0"
    }
  }
}

# Budgets are an account's and not a project's: whose quota pays for asking must be said.
provider "google" {
  billing_project       = values(var.cells)[0].project_id
  user_project_override = true
}

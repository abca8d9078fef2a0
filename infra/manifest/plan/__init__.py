"""The whole fleet with every default resolved: what Terraform makes, by `for_each` and nothing else."""

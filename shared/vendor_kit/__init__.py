"""What vendors share."""

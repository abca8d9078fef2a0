"""What the bench runs in processes of their own."""

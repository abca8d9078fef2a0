"""dormakaba and Kaba: cards that a hotel's own lock system writes, asked for by its desk."""

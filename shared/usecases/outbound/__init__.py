"""Events sent to addresses that a tenant named: signed, tried again, and never inward."""

"""Staff: master keys by shift, by standing schedule, or on somebody's word; moved, put to rest and ended."""

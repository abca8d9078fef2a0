"""`keyfleet demo`: the embedded cloud at its main job, through a kill -9, as real processes."""

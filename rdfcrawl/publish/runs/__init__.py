"""Pages about runs: what one has reported and changed, all its problems, and what differs between two of them."""

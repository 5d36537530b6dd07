"""The commands about crawls on several machines: a worker, and what a queue looks like."""
